import { RE2JS } from 're2js';
import { type Driver, type Finds, hostIn, matchesAny, promptsOf } from '../driver.ts';

/** Systems shorten the device name to this length in some modes, so only this many characters are compared. */
const CUT = 16;

/** Markers of unsaved or uncommitted changes before a prompt. */
const MARKERS = '(?:[*!~] ?){0,2}';

/** Suffixes after the name: a counter, modes in parentheses. */
const SUFFIX = /(?:\.\d+)?(?: ?\([^()]*\)){0,2}$/;

/** The prompt of one session. */
export type Prompt = {
  /** The prompt at the beginning of the session. */
  text: string;
  /** Returns whether a line is this prompt, in any mode. */
  is: Finds;
  /** Returns whether a line is the initial prompt, apart from markers and counters. */
  isHome: Finds;
  /** Lines between a newline and the prompt, which belong to the prompt. */
  above: ReadonlySet<string>;
};

/**
 * Learns a session's prompt from the first line at which the device waits.
 *
 * @param line with the prompt, unchanged
 * @param before lines that an empty command returned
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

/** Returns whether a driver accepts any line that ends in a prompt character; the prompt is then known only by shape. */
const isOpen = ({ promptSources }: Driver) => promptSources.some((one) => one.startsWith('[^\\n]'));

/** Returns a pattern for a device's name in other modes: shortened, or with a suffix of the mode. */
const nameOf = (host: string) =>
  host.length <= CUT ? RE2JS.quote(host) : `${RE2JS.quote(host.slice(0, CUT))}[\\w.\\-@/:+]{0,64}`;

/** Returns a pattern for the prompt. @param modes whether modes other than the initial one match too */
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
  // A shell's prompt contains the folder, which changes.
  const place = /^([^\s@]{1,64}@[\w.-]{1,64})[: ]/.exec(rest)?.[1];
  // A prompt that is only a name in parentheses has no mode: without it, a single character would be a prompt.
  const body = place
    ? `${RE2JS.quote(place)}[: ][^\\n]{0,100}`
    : RE2JS.quote(rest.replace(SUFFIX, '') || rest);
  const signs = sign === '>' || sign === '#' ? '[>#]' : sign === '$' ? '[$#]' : RE2JS.quote(sign);
  return `${MARKERS}${body}(?:\\.\\d+)?(?: ?\\([^()]{0,80}\\)){0,2}${gap}${signs}`;
}

const counted = (text: string): [body: string, counter: boolean] =>
  /\.\d+$/.test(text) ? [text.replace(/\.\d+$/, ''), true] : [text, false];

/** Returns whether a line could be the prompt of any device. */
export const looksLikePrompt: Finds = matchesAny(['[^\\n]{0,120}[>#$%\\]]']);
