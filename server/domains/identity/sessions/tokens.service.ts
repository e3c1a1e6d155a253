import { randomBytes, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';

/** Seconds that an OAuth access token lives (contract/lifecycle#1). */
export const ACCESS_TOKEN_SECONDS = 3600;

/** A session's token: 256 random bits in an alphabet that clients may put into a URL as it is (contract/lifecycle#1). */
export const newSessionToken = () => randomBytes(32).toString('base64url');

/** An access token for a service account, refused once its secret is replaced (`generation`). */
export function signAccessToken(
  key: Buffer,
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
    .sign(key);
}

/** What a token says, or null when it was not signed by us, or not for this time. */
export async function readAccessToken(key: Buffer, token: string, now: Date) {
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
