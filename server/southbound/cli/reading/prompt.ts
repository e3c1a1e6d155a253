import { RE2JS } from 're2js';
import { type Driver, type Finds, hostIn, LOOKED_AT, matchesAny, promptsOf } from '../driver.ts';

/** Systems shorten the device name to this length in some modes, so only this many characters are compared. */
const CUT = 16;

/** Markers of unsaved or uncommitted changes before a prompt. */
const MARKERS = '(?:[*!~] ?){0,2}';

/** The same between the name, or the mode, and the prompt character. */
const MARKERS_AFTER = '[*!]{0,2}';

/** Characters that end prompts: those of devices, and the arrows of shells that draw theirs. */
const SIGNS = '>#$%\\]❯➜»›';

/** Suffixes after the name: a counter, modes in parentheses. */
const SUFFIX = /(?:\.\d+)?(?: ?\([^()]*\)){0,2}$/;

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const DAY = `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:${MONTH} {1,2}\\d{1,2}|\\d{1,2} ${MONTH})(?:,? \\d{4})?`;
const DATE = `(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}|${DAY})`;
const TIME =
  '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d{1,6})?)?(?: ?[AP]M)?(?: [A-Z]{2,4}T\\b| UTC\\b|Z|[+-]\\d{2}:?\\d{2})?(?![\\w:])';
const CLOCK = `(?:${DATE}(?:, |[ T-]))?${TIME}(?: ${DATE}(?![\\w:]))?`;

/** A clock that counts seconds; without brackets it would be any number. */
const BRACKETED = `(?:${CLOCK}|1\\d{9}(?:\\.\\d{1,6})?)`;

/** A clock in a prompt, with its brackets and the separator on one side. */
const IN_PROMPT = new RegExp(
  `[ .]?\\[${BRACKETED}\\] ?|[ .]?\\(${BRACKETED}\\) ?|(?:[ .]|-(?=\\d{4}[-/.]))${CLOCK}|(?<![\\w:.\\-])${CLOCK} ?`,
);

/**
 * Returns a prompt without the time that a device shows in it, which would otherwise make each prompt another one.
 *
 * @param line with the prompt; a line that is too long for a prompt is returned unchanged
 */
export const clockless = (line: string): string =>
  line.length <= LOOKED_AT ? line.replace(IN_PROMPT, '') : line;

/** The prompt of one session. */
export type Prompt = {
  /** The prompt at the beginning of the session, without a clock. */
  text: string;
  /** Returns whether a line is this prompt, in any mode. */
  is: Finds;
  /** Returns whether a line is the initial prompt, apart from markers and counters. */
  isHome: Finds;
  /** Lines between a newline and the prompt, which belong to the prompt; without a clock, so that one may be empty. */
  above: readonly string[];
};

/**
 * Learns a session's prompt from the first line at which the device waits.
 *
 * @param shown the line with the prompt, unchanged
 * @param before lines that an empty command returned
 */
export function learnPrompt(driver: Driver, shown: string, before: readonly string[] = []): Prompt {
  const line = clockless(shown);
  const text = line.trimEnd();
  const host = hostIn(driver, line);
  const own: Finds = host
    ? promptsOf(driver, nameOf(host))
    : driver.isPrompt(line) && !isOpen(driver)
      ? driver.isPrompt
      : () => false;
  const shaped = matchesAny([shapeOf(text, true)]);
  const home = matchesAny([shapeOf(text, false)]);
  const hasClock = line !== shown;
  const bare = (tail: string) => (hasClock ? clockless(tail) : tail);
  const is: Finds = (tail) => own(bare(tail)) || shaped(bare(tail));
  return {
    text,
    is,
    isHome: (tail) => home(bare(tail)),
    above: before
      .map((one) => one.trim())
      .filter((one) => one !== '' && one.length < 100 && !is(one) && !driver.isFailure(one))
      .map(clockless),
  };
}

/** Returns whether a driver accepts any line that ends in a prompt character; the prompt is then known only by shape. */
const isOpen = ({ promptSources }: Driver) => promptSources.some((one) => one.startsWith('[^\\n]'));

/** Returns a pattern for a device's name in other modes: shortened, or with a suffix of the mode. */
const nameOf = (host: string) =>
  host.length <= CUT ? RE2JS.quote(host) : `${RE2JS.quote(host.slice(0, CUT))}[\\w.\\-@/:+]{0,64}`;

/** Returns a pattern for the prompt. @param modes whether modes other than the initial one match too */
function shapeOf(text: string, modes: boolean): string {
  const sign = new RegExp(`[${SIGNS}:]$`).exec(text)?.[0] ?? '';
  const rest = text
    .slice(0, text.length - sign.length)
    .trimEnd()
    .replace(/^(?:[*!~] ?){1,2}/, '')
    .replace(/(?<=[^*!])[*!]{1,2}$/, '');
  const gap = ' ?';
  if (!modes) {
    const [body = '', counter] = counted(rest);
    return `${MARKERS}${RE2JS.quote(body)}${counter ? '\\.\\d+' : ''}${MARKERS_AFTER}${gap}${RE2JS.quote(sign)}`;
  }
  // A shell's prompt contains the folder, which changes.
  const place = /^([^\s@]{1,64}@[\w.-]{1,64})[: ]/.exec(rest)?.[1];
  // A prompt that is only a name in parentheses has no mode: without it, a single character would be a prompt.
  const body = place
    ? `${RE2JS.quote(place)}[: ][^\\n]{0,100}`
    : RE2JS.quote(rest.replace(SUFFIX, '') || rest);
  const signs = sign === '>' || sign === '#' ? '[>#]' : sign === '$' ? '[$#]' : RE2JS.quote(sign);
  return `${MARKERS}${body}(?:\\.\\d+)?(?: ?\\([^()]{0,80}\\)){0,2}${MARKERS_AFTER}${gap}${signs}`;
}

const counted = (text: string): [body: string, counter: boolean] =>
  /\.\d+$/.test(text) ? [text.replace(/\.\d+$/, ''), true] : [text, false];

/** Returns whether a line could be the prompt of any device. */
export const looksLikePrompt: Finds = matchesAny([`[^\\n]{0,120}[${SIGNS}]`]);

const PROGRESS =
  /(?:^|[\s([\]])\d{1,3}(?:\.\d{1,3})? ?%\]?$|##$|\[[^\w\]]{0,100}[\]>]$|\[ ?(?:ok|done|failed|passed) ?\]$/i;

/**
 * Returns whether a line shows the progress or the result of a command: a bar, a percentage, `[OK]`. It ends as a prompt does,
 * and may rest for seconds before it continues.
 */
export const isProgress: Finds = (line) => line.length <= LOOKED_AT && PROGRESS.test(line.trimEnd());
