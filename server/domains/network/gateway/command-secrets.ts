import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { openSecretFinder, secretPlace } from './secret-places.ts';

/** The mask for secrets, as everywhere (contract/lifecycle#secrets). */
const MASK = '********';

/** Maximum length of a command that is kept completely. */
const LONGEST = 1000;

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
  /(<(?:[\w-]{1,60}:)?[\w-]{0,60}(?:(?:password|secret|passphrase|community|-key)[\w-]{0,60}|passwd|pwd|phash|psk|token|cak|key|keydata|bindpw|seed|trapstring|prv|auth_pass|tls|api)(?:\s[^<>]{0,200})?>)[^<]+/gi;
/** Longer lines are masked from their first suspicious place on. */
const LONG_LINE = 2000;
/** Private keys in PEM and OpenPGP, and with the four dashes of SSH2. */
const PRIVATE_KEY = /(-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5})[\s\S]*?(-{4,5} ?END|$)/g;

/**
 * Returns a line of a configuration with its secrets masked: the rest of the line after a word that precedes a secret.
 *
 * @param find returns where in the line that is
 */
function maskLine(line: string, find: (line: string) => number): string {
  const isLong = line.length > LONG_LINE;
  const url = line.indexOf('://');
  let kept = line;
  if (url >= 0) kept = isLong ? `${line.slice(0, url + 3)}${MASK}` : withoutUrlPasswords(line);
  if (kept.includes('<')) kept = isLong ? withoutRestOfXml(kept) : kept.replace(IN_XML, `$1${MASK}`);
  const place = find(kept);
  if (place < 0) return kept;
  // The lines above the one of a rule, joined in a cell of a file: this one has its mask already.
  if (!isLong && kept.startsWith(JOINED, place))
    return kept.slice(0, place + JOINED.length) + maskLine(kept.slice(place + JOINED.length), find);
  return `${kept.slice(0, place)}${MASK}`;
}

/** A mask, and what follows it where lines are joined. */
const JOINED = `${MASK} > `;

/** Returns a line up to the first secret in an element of XML. */
function withoutRestOfXml(line: string): string {
  const at = line.search(IN_XML);
  return at < 0 ? line : `${line.slice(0, line.indexOf('>', at) + 1)}${MASK}`;
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
  const find = openSecretFinder();
  const masked = await mapYielding(chunks, (chunk) => chunk.map((line) => maskLine(line, find)).join('\n'));
  return masked.join('\n');
}

const hideLines = (block: string, begin: string, end: string): string => {
  const lines = block.slice(begin.length, block.length - end.length).split('\n');
  return `${begin}${lines.map((line) => (line.trim() === '' ? line : MASK)).join('\n')}${end}`;
};

/**
 * Returns what a device says about a line without the words of the line that are secret: devices repeat what they reject,
 * and nothing announces a secret that is repeated alone.
 *
 * @param line a line of configuration that was sent
 * @param response what the device answered
 */
export function withoutSecretsOf(line: string, response: string): string {
  const place = secretPlace(line);
  return place < 0 ? response : secretMask(line.slice(place).split(/[\s"']+/))(response);
}

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
    const place = secretPlace(kept);
    if (place >= 0) kept = `${kept.slice(0, place)}${MASK}`;
  }
  return kept.length > LONGEST ? `${clipped(kept, LONGEST)}…` : kept;
}
