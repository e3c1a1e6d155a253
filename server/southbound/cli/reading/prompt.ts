import { RE2JS } from 're2js';
import { type Driver, type Finds, hostIn, matchesAny, promptsOf } from '../driver.ts';

/** Systems cut the device's name to this length in some modes, so no more of it is asked for. */
const CUT = 16;

/** Markers of unsaved or uncommitted changes before a prompt. */
const MARKERS = '(?:[*!~] ?){0,2}';

/** What follows the name: a counter, modes in parentheses. */
const SUFFIX = /(?:\.\d+)?(?: ?\([^()]*\)){0,2}$/;

/** The prompt of one session, once it is known. */
export type Prompt = {
  /** As it was when the session began. */
  text: string;
  /** Whether a line is this prompt, in whichever mode. */
  is: Finds;
  /** Whether it is the very prompt that the session began with, markers and counters aside. */
  isHome: Finds;
  /** Lines that came between a newline and the prompt: they belong to it. */
  above: ReadonlySet<string>;
};

/**
 * Learn a session's prompt from the line at which it waits first.
 *
 * @param before lines that an empty command gave
 */
export function learnPrompt(driver: Driver, line: string, before: readonly string[] = []): Prompt {
  const text = line.trimEnd();
  const host = hostIn(driver, line);
  const own: Finds = host
    ? promptsOf(driver, nameOf(host))
    : driver.isPrompt(line) && !isOpen(driver)
      ? driver.isPrompt
      : () => false;
  const shaped = matchesAny([shapeOf(text, true)]);
  const is: Finds = (tail) => own(tail) || shaped(tail);
  return {
    text,
    is,
    isHome: matchesAny([shapeOf(text, false)]),
    above: new Set(
      before
        .map((one) => one.trim())
        .filter((one) => one !== '' && one.length < 100 && !is(one) && !driver.isFailure(one)),
    ),
  };
}

/** Drivers that take every line with a sign at its end for a prompt know a session's own only by its shape. */
const isOpen = ({ promptSources }: Driver) => promptSources.some((one) => one.startsWith('[^\\n]'));

/** A device's name as it is in other modes: cut, or followed by what the mode adds. */
const nameOf = (host: string) =>
  host.length <= CUT ? RE2JS.quote(host) : `${RE2JS.quote(host.slice(0, CUT))}[\\w.\\-@/:+]{0,64}`;

/** @param modes whether others than the first one count too */
function shapeOf(text: string, modes: boolean): string {
  const sign = /[>#$%\]:]$/.exec(text)?.[0] ?? '';
  const rest = text
    .slice(0, text.length - sign.length)
    .trimEnd()
    .replace(/^(?:[*!~] ?){1,2}/, '');
  const gap = ' ?';
  if (!modes) {
    const [body = '', counter] = counted(rest);
    return `${MARKERS}${RE2JS.quote(body)}${counter ? '\\.\\d+' : ''}${gap}${RE2JS.quote(sign)}`;
  }
  // A shell's prompt tells the folder, which changes.
  const place = /^([^\s@]{1,64}@[\w.-]{1,64})[: ]/.exec(rest)?.[1];
  // A name in parentheses is no mode: without it, a sign alone would be a prompt.
  const body = place
    ? `${RE2JS.quote(place)}[: ][^\\n]{0,100}`
    : RE2JS.quote(rest.replace(SUFFIX, '') || rest);
  const signs = sign === '>' || sign === '#' ? '[>#]' : sign === '$' ? '[$#]' : RE2JS.quote(sign);
  return `${MARKERS}${body}(?:\\.\\d+)?(?: ?\\([^()]{0,80}\\)){0,2}${gap}${signs}`;
}

const counted = (text: string): [body: string, counter: boolean] =>
  /\.\d+$/.test(text) ? [text.replace(/\.\d+$/, ''), true] : [text, false];

/** Whether a line could be some device's prompt, when nothing better is known of it. */
export const looksLikePrompt: Finds = matchesAny(['[^\\n]{0,120}[>#$%\\]]']);
