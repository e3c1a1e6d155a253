import type { Finds, KnownAnswer } from '../driver.ts';

type KnownQuestion = KnownAnswer & {
  /** Time without output before the question is accepted as such, in milliseconds. */
  quiet: number;
};

const known = (pattern: RegExp, send: string, quiet = 0): KnownQuestion => ({
  finds: (line) => line.length <= 200 && pattern.test(line),
  send,
  quiet,
});

/** Pagers by the line at which they wait (contract/engines#cli-sessions); each expression scans a line once. */
export const PAGERS: readonly KnownQuestion[] = [
  known(/\(END\)\s*$/, 'q'),
  known(/^\s*<?-{1,4}[ (]{0,2}more(?: \d{1,3}%)?[ )]{0,2}-{1,4}>?(?:[ ,(].{0,120})?$/i, ' '),
  known(/^\s*--+\s*more\s*--+/i, ' '),
  known(/^\s*-{2,4}\s*\((?:more|less)(?: \d{1,3}%)?(?: ?\d{1,9}[-/]\d{1,9})?\)-{2,4}\s*$/i, ' '),
  known(/^\s*--More--/i, ' '),
  known(/^\s*More: .{0,100}$/i, ' '),
  known(/^\s*-{0,4} ?more or \(q\)uit.{0,80}$/i, ' '),
  known(/^\s*-{2,4} ?more ?\(.{0,100}\) ?-{2,4}\s*$/i, ' '),
  known(/^\s*- ?more ?\? ?\[<sp>.{0,40}$/i, ' '),
  known(/^\s*ctrl\+c esc q quit space n next page.{0,60}$/i, ' '),
  known(/^\s*<space> for next page.{0,80}$/i, ' '),
  known(/\(press h for help or q to quit\)\s*$/, ' '),
  known(/^\s*\(? ?more ?\)?\s*(?:\.\.\.|…)?\s*$/i, ' ', 50),
  known(/^lines \d+-\d+(?:\/\d+)?(?: \d{1,3}%)?\s*$/, ' '),
  known(/^(?:\/\S{1,100} )?lines \d+-\d+.{0,40}byte.{0,60}$/, ' '),
  known(/^:\s?$/, ' ', 50),
  known(/^\s*press any key to continue(?: \(q to quit\))?\.{0,3}\s*$/i, ' ', 50),
  known(/^\s*press <?space>? (?:bar )?to continue.{0,40}$/i, ' ', 50),
  known(
    /^\s*[[<(]?(?:hit|press) ['<]?(?:any key|space|enter|return)['>]? (?:bar )?(?:for more|to continue).{0,60}$/i,
    ' ',
    50,
  ),
  known(/^\s*-- ?\[?Q quit.{0,80}$/i, ' '),
  known(/^\s*press q to quit, .{0,80} to print next page\.?\s*$/i, ' '),
  known(/^\s*Q-Quit, SPACE-next page.{0,40}$/i, ' '),
  known(/^\s*<?-+ ?\(?\d{0,3}%?\)? ?press .{0,60}$/i, ' ', 50),
];

const PAGE = /^\W*more\W*$|\bnext page\b|<space>/i;

/**
 * Returns whether a line at which a device waits is probably a pager that is not known: it must not count as a prompt, which
 * would end the output at the first page.
 */
export const mayPage: Finds = (line) => line.length <= 120 && PAGE.test(line);

/** Questions of a device at login and their answers; `enter` means the driver's line end. */
export const CHALLENGES: readonly KnownQuestion[] = [
  known(/change.{0,60}\[y\/n\]|\[y\/n\].{0,20}change/i, 'N\n', 20),
  known(/software license.{0,20}\[y\/n\]/i, 'n', 20),
  known(/to accept\b/i, 'a', 20),
  known(/(?:accept|agree|acknowledge|consent).{0,80}\(?yes\/no\)?/i, 'yes\n', 20),
  known(/\[y\/n\](?: ?:| ?\?)?\s*$/i, 'y\n', 20),
  known(/press any key to continue/i, 'enter', 20),
  known(/press y or enter to continue/i, 'enter', 20),
  known(/(?:press|hit) (?:the )?<?(?:enter|return|cr)>?(?: key)?.{0,40}/i, 'enter', 20),
  known(/ctrl-y.{0,40}/i, '\u0019', 20),
];

const NEW_PASSWORD = /(?:new|retype|re-?enter|confirm|old|current).{0,30}pass(?:word|code|phrase)\s*:\s*$/i;
const USERNAME = /^(?:.{0,40}\s)?(?:user ?name|user|login|login as|log ?in name|account)\s*:\s*$/i;
const PASSWORD = /^.{0,80}pass(?:word|code|phrase)?(?: for \S{1,64})?\s*:\s*$/i;
const EXPIRED =
  /password.{0,40}\b(?:has expired|is expired|must be changed)|must change.{0,20}password|choose a new/i;
const LOGIN_REJECTED =
  /login incorrect|authentication fail|access denied|login (?:invalid|failed)|permission denied|bad (?:passwords?|secrets)|invalid (?:login|password|credentials)|% ?login|% ?authentication/i;

/** Returns whether a line asks for a user name. */
export const asksUsername: Finds = (line) => line.length <= 200 && USERNAME.test(line);
/** Returns whether a line asks for a secret. */
export const asksPassword: Finds = (line) => line.length <= 200 && PASSWORD.test(line);
/** Returns whether a line requires a password change. */
export const wantsNewPassword: Finds = (line) => line.length <= 200 && NEW_PASSWORD.test(line);
/** Returns whether a line reports that the password has to be changed. */
export const reportsExpiry: Finds = (line) => line.length <= 200 && EXPIRED.test(line);
/** Returns whether a line reports a failed login. */
export const rejectsLogin: Finds = (line) => line.length <= 200 && LOGIN_REJECTED.test(line);

const ASKS = [
  /\[(?:confirm|y\/n|yes\/no|n\/y|no\/yes|yes|no|y|n)\]\s*[:?]?\s*$/i,
  /\((?:y\/n|yes\/no|n\/y|y or n|yes or no|y\/n\/[\w/]{1,20}|yes\/no\/[\w/]{1,20})\)\s*[:?]?\s*(?:\[[^\]]{0,40}\])?\s*[:?]?\s*$/i,
  /\b(?:y\/n|yes\/no)\b.{0,10}$/i,
  /\?\s*(?:\[[^\]]{0,80}\])?\s*[:?]?\s*$/,
  /\[[^\]]{0,120}\]\s*[:?]\s*$/,
  /\b(?:password|passphrase|passcode|secret|username|user name|login|name|enter|input|type|choose|select|choice|option|address|host|file|filename|continue|proceed|sure|overwrite|delete|save|confirm|number|value)\b[^:]{0,60}:\s*$/i,
  /\bpress\b.{0,80}$/i,
];

/** Returns whether a line at which a device waits is a question (contract/endpoints#4.14-questions). */
export const isQuestion: Finds = (line) => {
  if (line.length > 300) return false;
  const text = line.trim();
  return text !== '' && ASKS.some((pattern) => pattern.test(text));
};
