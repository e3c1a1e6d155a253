/*
 * Where secrets are in lines of configurations and commands, of all platforms. db/masked-texts.ts has the same in SQL, wider: a
 * change here needs one there, and a test compares them.
 */

/**
 * Words that precede a secret, in any context: `snmp-server community`, `key-string 7`; also in JSON and XML that are a text in
 * another one.
 */
const BEFORE_SECRET =
  /(?:password|passwd|pwd|pass-?phrase|passcode|passcrypt|passkey|phash|secret|community(?:-(?:string|name|map))?|credentials?|key-(?:octet-)?string|key-val|static-key-\d|common-pw|id-?token|ascii-text|hexadecimal|securityname|irreversible-cipher|trap-group|(?:encryption|authentication)-hex|(?:shared|private|api|auth|authentication)-?key|plain-text-password|\b(?:pass|psk|token|cak|wpa2?|md5|sha(?:-?\d+)?|aes|3?des))(?:-(?:value|remote))?(?:\\{0,3}["'\]]?[\s=:]+|&gt;)(?=\S)/i;

/** `key` alone precedes a secret only in configurations; otherwise, and before a chain's name, it is an ordinary word. */
const KEY = /(?:^|\s)key[\s=]+(?!chain\b|config-key\b|generate\b|zeroize\b|id\b)(?=\S)/i;

/** An expression, and words of which one is in every line that it matches: looking for them costs little. */
type Sequence = readonly [words: RegExp, expression: RegExp];

/** Secrets that several words or their own form announce. Each loop has a limit, because lines may have millions of characters. */
const SEQUENCES: readonly Sequence[] = [
  // The community of a receiver of SNMP traps.
  [
    /snmp-server/i,
    /\bsnmp-server\s{1,9}host\s{1,9}\S{1,200}\s{1,9}(?:(?:(?:vrf|use-vrf|version|udp-port)\s{1,9}\S{1,99}|traps?|informs?|noauth|auth|priv|encrypted|clear)\s{1,9}){0,8}(?=\S)/i,
  ],
  // Plain keys of first-hop redundancy, NHRP and RIP.
  [
    /standby|vrrp|glbp|hsrp|nhrp/i,
    /\b(?:standby|vrrp|glbp|hsrp|nhrp)\b.{0,60}\bauthentication\s{1,9}(?:text\s{1,9})?(?!md5\b|ietf-md5\b|mode\b)(?=\S)/i,
  ],
  [/authentication/i, /\bauthentication\s{1,9}(?:text|string|hash2?)\s{1,9}(?=\S)/i],
  [/authentication/i, /\btext-authentication\s{1,9}(?=\S)/i],
  [
    /authentication/i,
    /^\s{1,40}authentication\s{1,9}(?!(?:pre-share|rsa-\w+|ecdsa-\w+|md5|ipsec|null|none|open|shared|eap|message-digest|simple|keyed\S*|periodic|aaa|local|remote|enable|disable)\s*$)(?=[\w$!%#@.-]{1,200}\s{0,9}$)/i,
  ],
  // Keys of IPsec in OSPFv3, of VRP and Comware.
  [/ipsec/i, /\bipsec\s{1,9}spi\s{1,9}\d{1,10}\s{1,9}(?=\S)/i],
  [/authentication-mode/i, /\bauthentication-mode\s{1,9}simple\s{1,9}(?=\S)/i],
  [/privacy-mode/i, /\bprivacy-mode\s{1,9}\S{1,40}\s{1,9}(?=\S)/i],
  [/cipher/i, /\bcipher\s{1,9}(?!aes|3?des|arcfour|chacha|blowfish|rc4|sm4|suite)(?=\S)/i],
  // What the platform itself marks as sealed.
  [/enc/i, /\bset\s{1,9}\S{1,99}\s{1,9}ENC\s{1,9}(?=\S)/],
  [/## secret-data/i, /^\s{0,99}\S{1,99}\s{1,9}(?=.{0,1000}## SECRET-DATA)/],
  [/encrypted/i, /\bencrypted\s{1,9}(?=["'#$])/i],
  [
    /-encrypted/i,
    /\b(?:system\s{1,9}user|ns\s{1,9}rpcNode)\s{1,9}\S{1,99}\s{1,9}(?=\S)(?=.{0,300}\s-encrypted\b)/i,
  ],
  // Keys of any kind, but public ones: `server-key`, `-radKey`.
  [/key/i, /(?<!public|host)[-_]key(?:-value)?(?:\\{0,3}["'\]]?[\s=:]{1,99}|&gt;)(?=\S)/i],
  [/key/i, /\s-\w{1,30}key\s{1,9}(?=\S)/i],
  [/radius/i, /\bradius\s{1,9}(?:auth|acct)\s{1,9}add\b.{0,99}\s(?:ascii|hex)\s{1,9}(?=\S)/i],
  [/mgmtuser/i, /\bmgmtuser\s{1,9}(?:add|password)\s{1,9}\S{1,99}\s{1,9}(?=\S)/i],
  // A line of a key in PEM that a path of the set form holds: the line that begins the key may be elsewhere.
  [
    /^\s{0,9}(?:set|delete)\s/i,
    /^\s{0,9}(?:set|delete)\s.{1,500}\s(?=(?=\S{0,75}[a-z])(?=\S{0,75}[A-Z])(?=\S{0,75}\d)[A-Za-z0-9+/]{64,76}={0,2}\s*$)/,
  ],
  [/auth=key,/i, /auth=key,(?=\S)/i],
  // Hashes in the form of crypt(3) and of vendors, wherever they are.
  [/\$/i, /(?<![\w$])(?=\$(?:\d{1,2}|2[abxy]|y|c|h|aes1?)\$[^\s$])/],
];

/** One of these words is in every line that a sequence matches: most lines have none. */
const ANY_SEQUENCE = new RegExp([...new Set(SEQUENCES.map(([words]) => words.source))].join('|'), 'i');

/**
 * Returns the index from which the rest of a line is secret; -1 when it holds no secret.
 *
 * @param line a line of a configuration, or a command
 */
export function secretPlace(line: string): number {
  const known = [end(BEFORE_SECRET, line), end(KEY, line)];
  if (ANY_SEQUENCE.test(line)) {
    for (const [words, expression] of SEQUENCES) if (words.test(line)) known.push(end(expression, line));
  }
  const places = known.filter((place) => place >= 0);
  return places.length > 0 ? Math.min(...places) : -1;
}

/** A part of a configuration whose lines hold secrets that nothing in the lines themselves announces. */
type Section = { begin: RegExp; end: RegExp; secret: RegExp };

const SECTIONS: readonly Section[] = [
  // FortiOS: the name of the community.
  { begin: /^\s*config system snmp community\s*$/, end: /^end\s*$/, secret: /^\s*set name\s+(?=\S)/ },
  // RouterOS: the same.
  { begin: /^\/snmp community\s*$/, end: /^\//, secret: /\bname=(?=\S)/ },
  // SONiC: communities are names of properties.
  { begin: /^\s*"SNMP_COMMUNITY"\s*(?::\s*\{\s*)?$/, end: /^\},?\s*$/, secret: /^\s*(?=")/ },
];

/** Marks of rules before a line (docs/rules.md). */
const MARKS = /^(\s*)(?:(?:<[eiw]\/>|\{(?:d|i|o|lso|llo)\/\})\s*)+/;

/**
 * Returns a function for the lines of one text in their order, which also finds what an earlier line announces.
 *
 * @returns the function; it returns the index from which the rest of a line is secret, -1 when it holds no secret
 */
export function openSecretFinder(): (line: string) => number {
  let section: Section | undefined;
  let depth = 0;
  let isContinued = false;
  return (marked) => {
    const [marks = '', indentation = ''] = MARKS.exec(marked) ?? [];
    const line = `${indentation}${marked.slice(marks.length)}`;
    const place = placeIn(line);
    return place < 0 ? -1 : place + marked.length - line.length;
  };
  function placeIn(line: string): number {
    const indent = line.length - line.trimStart().length;
    if (section && indent <= depth && section.end.test(line.trimStart())) section = undefined;
    const place = isContinued
      ? indent
      : Math.max(secretPlace(line), section ? end(section.secret, line) : -1);
    // RouterOS breaks long lines after a backslash, also between the name of a secret and its value.
    isContinued = place >= 0 && /\\\s{0,9}$/.test(line.slice(-10));
    if (!section) {
      section = SECTIONS.find(({ begin }) => begin.test(line));
      depth = indent;
    }
    return place < line.length ? place : -1;
  }
}

/** Returns the index at which the first match ends; -1 without one. */
function end(expression: RegExp, line: string): number {
  const found = expression.exec(line);
  return found ? found.index + found[0].length : -1;
}
