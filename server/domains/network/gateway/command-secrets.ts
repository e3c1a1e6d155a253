import { clipped } from '#server/kernel/text/clipped.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';

/** The mask for secrets, as everywhere (contract/lifecycle#secrets). */
const MASK = '********';

/** Maximum length of a command that is kept completely. */
const LONGEST = 1000;

/** Words that precede a secret, in any context: `snmp-server community`, `key-string 7`. */
const BEFORE_SECRET =
  /(?:password|passwd|passphrase|passcode|secret|community|credential|key-string|(?:shared|private|api|auth|authentication)-?key|plain-text-password|\b(?:pass|psk|token|wpa2?|md5|sha(?:-?\d+)?|aes|3?des))(?:-value)?["'\]]?[\s=:]+(?=\S)/i;

/** `key` alone precedes a secret only in configurations; otherwise, and before a chain's name, it is an ordinary word. */
const KEY = /(?:^|\s)key[\s=]+(?!chain\b|config-key\b|generate\b|zeroize\b|id\b)(?=\S)/i;
const SHOWS = /^\s*(?:show|display|get|info|ping|traceroute)\b/i;

/**
 * Returns a text without passwords in URLs: `scp://svc:secret@files.example.net/image`. A password extends to the last @ before
 * a blank, because devices accept characters that URLs do not: masking too much is safer than too little.
 */
const withoutUrlPasswords = (text: string): string =>
  text.includes('://') ? text.split(/(\s)/).map(withoutUrlPassword).join('') : text;

/** The same for one word, without a regular expression: those overflow on words of millions of characters (0160). */
function withoutUrlPassword(word: string): string {
  const end = word.lastIndexOf('@');
  if (end < 0) return word;
  let from = word.indexOf('://');
  while (from >= 0) {
    const colon = word.indexOf(':', from + 3);
    const slash = word.indexOf('/', from + 3);
    if (colon < 0) return word;
    if (slash < 0 || slash > colon) {
      return colon + 1 < end ? `${word.slice(0, colon + 1)}${MASK}${word.slice(end)}` : word;
    }
    from = word.indexOf('://', from + 3);
  }
  return word;
}

/** The value of an element whose name says that it holds a secret, in configurations in XML. */
const IN_XML =
  /(<(?:[\w-]{1,60}:)?[\w-]{0,60}(?:password|secret|passphrase|community|-key)[\w-]{0,60}>)[^<]+/gi;
/** Longer lines are masked from their first suspicious place on. */
const LONG_LINE = 2000;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[\s\S]*?(-----END|$)/g;

/** Returns a line of a configuration with its secrets masked: the rest of the line after a word that precedes a secret. */
function maskLine(line: string): string {
  const isLong = line.length > LONG_LINE;
  const url = line.indexOf('://');
  let kept = line;
  if (url >= 0) kept = isLong ? `${line.slice(0, url + 3)}${MASK}` : withoutUrlPasswords(line);
  if (!isLong && kept.includes('<')) kept = kept.replace(IN_XML, `$1${MASK}`);
  const places = [BEFORE_SECRET.exec(kept), KEY.exec(kept)].flatMap((found) =>
    found ? [found.index + found[0].length] : [],
  );
  return places.length > 0 ? `${kept.slice(0, Math.min(...places))}${MASK}` : kept;
}

/** Number of lines that are masked before other requests are served. */
const LINES_AT_ONCE = 500;

/**
 * Returns a configuration with passwords, keys and communities masked, line by line; the number of lines stays.
 *
 * @param text configuration of any platform, of any length
 */
export async function withoutConfigurationSecrets(text: string): Promise<string> {
  const lines = text.replace(PRIVATE_KEY, hideLines).split('\n');
  const chunks = Array.from({ length: Math.ceil(lines.length / LINES_AT_ONCE) }, (_, at) =>
    lines.slice(at * LINES_AT_ONCE, (at + 1) * LINES_AT_ONCE),
  );
  const masked = await mapYielding(chunks, (chunk) => chunk.map(maskLine).join('\n'));
  return masked.join('\n');
}

const hideLines = (block: string, begin: string, end: string): string => {
  const lines = block.slice(begin.length, block.length - end.length).split('\n');
  return `${begin}${lines.map((line, at) => (at === 0 || line.trim() === '' ? line : MASK)).join('\n')}${end}`;
};

/**
 * Returns a command for the history, which keeps commands but never secrets (contract/lifecycle#12): the rest of the
 * line after the first word that precedes a secret is masked, as are passwords in URLs and all known secrets.
 *
 * @param known secrets of the call itself
 */
export function withoutSecrets(command: string, known: readonly string[] = []): string {
  let kept = command;
  for (const secret of known) if (secret.length > 2) kept = kept.replaceAll(secret, MASK);
  kept = withoutUrlPasswords(kept);
  if (!SHOWS.test(kept)) {
    const places = [BEFORE_SECRET.exec(kept), KEY.exec(kept)].flatMap((found) =>
      found ? [found.index + found[0].length] : [],
    );
    if (places.length > 0) kept = `${kept.slice(0, Math.min(...places))}${MASK}`;
  }
  return kept.length > LONGEST ? `${clipped(kept, LONGEST)}…` : kept;
}
