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
 * A password in a URL: `scp://svc:secret@files.example.net/image`. It extends to the last @ before a blank, because
 * devices accept characters that URLs do not: masking too much is safer than too little.
 */
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/[^\s:/]*:)\S+(?=@)/gi;

/**
 * Returns a command for the history, which keeps commands but never secrets (contract/lifecycle#12): the rest of the
 * line after the first word that precedes a secret is masked, as are passwords in URLs and all known secrets.
 *
 * @param known secrets of the call itself
 */
export function withoutSecrets(command: string, known: readonly string[] = []): string {
  let kept = command;
  for (const secret of known) if (secret.length > 2) kept = kept.replaceAll(secret, MASK);
  kept = kept.replace(IN_URL, `$1${MASK}`);
  if (!SHOWS.test(kept)) {
    const places = [BEFORE_SECRET.exec(kept), KEY.exec(kept)].flatMap((found) =>
      found ? [found.index + found[0].length] : [],
    );
    if (places.length > 0) kept = `${kept.slice(0, Math.min(...places))}${MASK}`;
  }
  return kept.length > LONGEST ? `${kept.slice(0, LONGEST)}…` : kept;
}
