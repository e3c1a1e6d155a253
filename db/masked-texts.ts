import { AsyncLocalStorage } from 'node:async_hooks';
import type { SQL } from 'drizzle-orm';
import { sql } from './statement.ts';
import { TEXT_HASHES } from './text-hashes.ts';

/*
 * Lists for callers who read configurations with masked secrets (docs/decisions/0150). A filter or an order on the text
 * behind a mask would reveal which guess is right, so that lists treat such a text as missing.
 */

const masked = new AsyncLocalStorage<true>();

/** Runs a request whose caller reads masks: its lists neither filter nor sort by texts that may hold a secret. */
export const readingMasked = <Result>(read: () => Result): Result => masked.run(true, read);

/** A blank: what is not ASCII counts as one, because the database knows other blanks than JavaScript. */
const BLANK = String.raw`([[:space:]]|[^\x01-\x7f])`;

/**
 * Matches every text in which a secret is masked (server/domains/network/gateway/secret-places.ts), and some more: in SQL, the
 * exact rules would cost too much. A test compares it with the masks.
 */
export const MAY_HOLD_SECRET = [
  String.raw`(password|passwd|pwd|pass-?phrase|passcode|passcrypt|passkey|phash|secret|community(-(string|name|map))?|credentials?|key-(octet-)?string|key-val|static-key-[0-9]|common-pw|id-?token|ascii-text|hexadecimal|securityname|irreversible-cipher|trap-group|(encryption|authentication)-hex|[-_]key|(shared|private|api|auth|authentication)-?key|(^|[^a-z0-9_])(pass|psk|token|cak|wpa2?|md5|sha(-?[0-9]+)?|aes|3?des))(-(value|remote))?(\\*["'\]]?([[:space:]=:]|[^\x01-\x7f])|&gt;)`,
  `(^|${BLANK})key([[:space:]=]|[^\\x01-\\x7f])`,
  `snmp-server${BLANK}+host${BLANK}`,
  `(standby|vrrp|glbp|hsrp|nhrp).*authentication${BLANK}`,
  `authentication${BLANK}+(text|string|hash2?)${BLANK}`,
  `text-authentication${BLANK}`,
  `(^|\\n)${BLANK}+authentication${BLANK}`,
  `ipsec${BLANK}+spi${BLANK}`,
  `authentication-mode${BLANK}+simple${BLANK}`,
  `(privacy-mode|cipher|enc|mgmtuser)${BLANK}`,
  `encrypted${BLANK}+["'#$]`,
  `radius${BLANK}+(auth|acct).*(ascii|hex)${BLANK}`,
  `${BLANK}-[a-z0-9_]+key${BLANK}`,
  '## secret-data|-encrypted|auth=key,',
  `(set|delete)${BLANK}.*[a-z0-9+/]{64}`,
  String.raw`\$([0-9]{1,2}|2[abxy]|y|c|h|aes1?)\$`,
  '://.*@',
  '<[^<>]*(password|passwd|pwd|secret|passphrase|community|phash|psk|token|cak|key|bindpw|seed|trapstring|prv|auth_pass|tls|api)[^<>]*>',
  'PRIVATE KEY( BLOCK)? ?----',
].join('|');

/** Lines of more characters are masked from any URL on. */
const LONG_LINE = 2000;

/**
 * Returns a text as a list may compare it.
 *
 * @param field the last segment of its name
 * @param text the text in the current row, as SQL
 * @returns for a caller who reads masks, null where the text may hold a secret or is a hash of one that may
 */
export function comparable(field: string, text: SQL): SQL {
  if (masked.getStore() !== true) return text;
  if (TEXT_HASHES.has(field)) return sql`null::text collate "C"`;
  const isLong = sql`(length(${text}) > ${sql.raw(String(LONG_LINE))} and strpos(${text}, '://') > 0)`;
  return sql`case when ${text} ~* ${MAY_HOLD_SECRET} or ${isLong} then null else ${text} end`;
}
