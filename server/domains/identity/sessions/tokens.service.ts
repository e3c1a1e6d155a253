import { randomBytes, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';

/** Lifetime of an OAuth access token in seconds (contract/lifecycle#1). */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Returns a session token: 256 random bits in an alphabet that needs no escaping in a URL (contract/lifecycle#1). */
export const newSessionToken = () => randomBytes(32).toString('base64url');

/**
 * Returns an access token for a service account; it is rejected once the secret is replaced (`generation`).
 *
 * @param keys the first one signs
 */
export function signAccessToken(
  [key]: readonly Buffer[],
  account: string,
  generation: number,
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ gen: generation })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(account)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
    .setJti(randomUUID())
    .sign(key ?? fail());
}

function fail(): never {
  throw new Error('no key signs access tokens');
}

/** Returns the claims of a token, or null when we did not sign it or it is not valid now. @param keys any one verifies it */
export async function readAccessToken(keys: readonly Buffer[], token: string, now: Date) {
  for (const key of keys) {
    const claims = await claimsOf(key, token, now);
    if (claims) return claims;
  }
  return null;
}

async function claimsOf(key: Buffer, token: string, now: Date) {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      typ: 'JWT',
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: now,
    });
    if (typeof payload.sub !== 'string' || typeof payload.gen !== 'number') return null;
    return { account: payload.sub, generation: payload.gen };
  } catch {
    return null;
  }
}
