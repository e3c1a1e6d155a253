import { jwtVerify, SignJWT } from 'jose';
import type { AuditCredential } from '#db/schemas/operations/audit.ts';

/** Lifetime of an OAuth access token in seconds (contract/lifecycle#1). */
export const ACCESS_TOKEN_SECONDS = 3600;

/**
 * Returns an access token for a service account; it is rejected once the secret is replaced (`generation`).
 *
 * @param keys the first one signs
 * @param tokenId identifies the token in the audit trail; nobody can derive the token from it
 */
export function signAccessToken(
  [key]: readonly Buffer[],
  account: string,
  generation: number,
  tokenId: string,
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ gen: generation })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(account)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
    .setJti(tokenId)
    .sign(key ?? fail());
}

function fail(): never {
  throw new Error('no key signs access tokens');
}

/** Returns an access token as the audit trail names it. */
export const accessTokenCredential = (tokenId: string): AuditCredential => ({
  kind: 'accessToken',
  id: tokenId,
  name: null,
});

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
    const { sub, gen, jti } = payload;
    if (typeof sub !== 'string' || typeof gen !== 'number' || typeof jti !== 'string') return null;
    return { account: sub, generation: gen, tokenId: jti };
  } catch {
    return null;
  }
}
