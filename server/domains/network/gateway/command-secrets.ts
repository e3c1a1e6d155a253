/** What stands for a secret, as everywhere (contract/lifecycle#secrets). */
const MASK = '********';

/** Longest command that is kept whole. */
const LONGEST = 1000;

/** Words after which devices take a secret, whatever stands around them: `snmp-server community`, `key-string 7`. */
const BEFORE_SECRET =
  /(?:password|passwd|passphrase|passcode|secret|community|credential|key-string|(?:shared|private|api|auth|authentication)-?key|plain-text-password|\b(?:pass|psk|token|wpa2?|md5|sha(?:-?\d+)?|aes|3?des))(?:-value)?["'\]]?[\s=:]+(?=\S)/i;

/** `key` alone begins a secret in a configuration only; shown, or before a chain's name, it is a word like another. */
const KEY = /(?:^|\s)key[\s=]+(?!chain\b|config-key\b|generate\b|zeroize\b|id\b)(?=\S)/i;
const SHOWS = /^\s*(?:show|display|get|info|ping|traceroute)\b/i;

/**
 * A password in a URL: `scp://svc:secret@files.example.net/image`. It is taken to go on to the last @ before a blank, for
 * devices take what a URL could not hold: rather too much is masked than too little.
 */
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/[^\s:/]*:)\S+(?=@)/gi;

/**
 * A command as the history keeps it: from the first word after which devices take a secret, the rest is masked, and so
 * are passwords in URLs and every text that is known to be a secret (contract/lifecycle#12: commands are kept, secrets
 * never).
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
