import { randomBytes } from 'node:crypto';

/** Random bytes of a session token. */
const BYTES = 32;
const FORM = /^[\w-]{43}$/;

/** Returns a session token: 256 random bits in an alphabet that needs no escaping in a URL (contract/lifecycle#1). */
export const newSessionToken = () => randomBytes(BYTES).toString('base64url');

/**
 * Returns whether a text has the form of a session token; whether it is one, the stored sessions say.
 *
 * @param text of any length
 * @returns true for 43 characters of base64url
 */
export const isSessionToken = (text: string) => FORM.test(text);
