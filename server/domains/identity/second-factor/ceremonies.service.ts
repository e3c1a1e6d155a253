import { isIP } from 'node:net';
import type { z } from 'zod';
import type { Assertion, Attestation } from '#db/schemas/identity/security-key.ts';
import { invalid, ServiceError, unprocessable } from '#server/kernel/errors.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { Context } from '#server/kernel/platform.ts';
import { sha256, type Vault } from '#server/kernel/secrets/vault.ts';
import { type OriginContext, publicOriginOf } from '../sessions/public-origin.ts';

/** How long a browser may take to answer a challenge, in seconds. */
const CHALLENGE_S = 300;

/** Signature algorithms that keys may use, by their COSE numbers: ES256, EdDSA and RS256. */
const ALGORITHMS = [-7, -8, -257];

/** The library is loaded when the first key is used: most installations start without it. */
const webauthn = () => import('@simplewebauthn/server');

/** State that the browser keeps, sealed, between a challenge and its answer. */
type SealedChallenge = { challenge: string; host: string; expires: number };

/** The account and session to which a challenge belongs; `session` is null during sign-in. */
export type ChallengeOwner = { accountId: string; session: string | null };

const placeOf = ({ accountId, session }: ChallengeOwner) =>
  ['security_key_challenge', accountId, session ?? 'sign-in'] as const;

/** One cookie for each challenge, so that two tabs do not disturb each other. */
const cookieNameOf = (challenge: string) => `security_key_${sha256(challenge).slice(0, 16)}`;

/** A stored key, as far as its answers are checked with it. */
export type StoredKey = {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
};

/**
 * Returns the host for which keys are registered and used: that of the address under which the browser reaches this platform.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT for an IP address, for which browsers use no keys
 */
export function keyHostOf(ctx: OriginContext): string {
  const { hostname } = new URL(publicOriginOf(ctx));
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw unprocessable(`Security keys need a host name: browsers use none for the address ${hostname}`);
  }
  return hostname;
}

/**
 * Begins the registration of a key.
 *
 * @param known keys that the account has already
 * @returns the options for the browser, and the cookie that keeps the challenge
 */
export async function beginCreation(
  ctx: Pick<Context, 'platform' | 'request'>,
  account: { id: string; username: string },
  bond: ChallengeOwner,
  known: readonly Pick<StoredKey, 'credentialId' | 'transports'>[],
) {
  const host = keyHostOf(ctx);
  const { generateRegistrationOptions } = await webauthn();
  const {
    extensions: _,
    authenticatorSelection,
    ...options
  } = await generateRegistrationOptions({
    rpName: 'Switchyard',
    rpID: host,
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.username,
    userDisplayName: account.username,
    timeout: CHALLENGE_S * 1000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    // The password is the first factor: the key need neither know the user nor ask for a PIN.
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  const setCookie = sealedCookie(ctx, bond, { challenge: options.challenge, host });
  return { options: { ...options, authenticatorSelection: { ...authenticatorSelection } }, setCookie };
}

/** Begins the use of one of an account's keys; the parameters and the result are those of `beginCreation`. */
export async function beginRequest(
  ctx: Pick<Context, 'platform' | 'request'>,
  bond: ChallengeOwner,
  known: readonly Pick<StoredKey, 'credentialId' | 'transports'>[],
) {
  const host = keyHostOf(ctx);
  const { generateAuthenticationOptions } = await webauthn();
  const { extensions: _, ...options } = await generateAuthenticationOptions({
    rpID: host,
    timeout: CHALLENGE_S * 1000,
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    userVerification: 'discouraged',
  });
  return { options, setCookie: sealedCookie(ctx, bond, { challenge: options.challenge, host }) };
}

function sealedCookie(
  { platform, request }: Pick<Context, 'platform' | 'request'>,
  bond: ChallengeOwner,
  made: Omit<SealedChallenge, 'expires'>,
): string {
  const kept: SealedChallenge = { ...made, expires: platform.now().getTime() + CHALLENGE_S * 1000 };
  const sealed = platform.vault.seal(JSON.stringify(kept), placeOf(bond));
  const secure = request.secure ? '; Secure' : '';
  return `${cookieNameOf(made.challenge)}=${sealed}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${CHALLENGE_S}${secure}`;
}

/** Returns the challenge that the browser kept for an answer; null when it began none, for another account, or too long ago. */
function challengeFor(
  { platform, request }: Pick<Context, 'platform' | 'request'>,
  bond: ChallengeOwner,
  clientData: string,
): SealedChallenge | null {
  const claimed = jsonOr(Buffer.from(clientData, 'base64url').toString('utf8'), null) as Record<
    string,
    unknown
  > | null;
  const challenge = typeof claimed?.challenge === 'string' ? claimed.challenge : null;
  const sealed = challenge === null ? null : (request.cookie?.(cookieNameOf(challenge)) ?? null);
  if (sealed === null) return null;
  const kept = opened(platform.vault, sealed, bond);
  return kept && kept.challenge === challenge && kept.expires > platform.now().getTime() ? kept : null;
}

function opened(vault: Vault, sealed: string, bond: ChallengeOwner): SealedChallenge | null {
  try {
    return jsonOr(vault.open(sealed, placeOf(bond)), null) as SealedChallenge | null;
  } catch {
    return null;
  }
}

/** The challenge of an answer, which is accepted once. */
export type AnsweredChallenge = { challenge: string; expires: Date };

const challengeOf = ({ challenge, expires }: SealedChallenge): AnsweredChallenge => ({
  challenge,
  expires: new Date(expires),
});

/**
 * Checks the answer of a key.
 *
 * @returns its challenge and its new counter; null when the answer is not valid: another account, origin or challenge, a wrong
 *   signature, or a counter that did not grow
 */
export async function checkAssertion(
  ctx: Pick<Context, 'platform' | 'request'>,
  bond: ChallengeOwner,
  { id, response }: z.infer<typeof Assertion>,
  key: StoredKey,
): Promise<(AnsweredChallenge & { counter: number }) | null> {
  const kept = challengeFor(ctx, bond, response.clientDataJSON);
  if (!kept) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const { credentialId, publicKey, counter } = key;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: kept.challenge,
      expectedOrigin: publicOriginOf(ctx),
      expectedRPID: kept.host,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter,
      },
      requireUserVerification: false,
    });
    return verified ? { ...challengeOf(kept), counter: authenticationInfo.newCounter } : null;
  } catch {
    // The library throws for each way in which an answer can be wrong.
    return null;
  }
}

/**
 * Checks a new credential.
 *
 * @returns its challenge, its host, and what is stored of it
 * @throws ServiceError UNAUTHORIZED when this session began no such registration; BAD_REQUEST when the credential is not valid
 */
export async function checkAttestation(
  ctx: Pick<Context, 'platform' | 'request'>,
  bond: ChallengeOwner,
  { id, response }: z.infer<typeof Attestation>,
): Promise<AnsweredChallenge & { host: string; key: StoredKey }> {
  const kept = challengeFor(ctx, bond, response.clientDataJSON);
  if (!kept) {
    throw new ServiceError(
      'UNAUTHORIZED',
      'This session began no such registration, or too long ago: begin again',
      { extra: { reason: 'ATTEMPT_UNKNOWN' } },
    );
  }
  const { verifyRegistrationResponse } = await webauthn();
  try {
    await assertNoMaker(response.attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', response: named(response), clientExtensionResults: {} },
      expectedChallenge: kept.challenge,
      expectedOrigin: publicOriginOf(ctx),
      expectedRPID: kept.host,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error('not verified');
    const { publicKey, counter } = registrationInfo.credential;
    const key: StoredKey = {
      credentialId: registrationInfo.credential.id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: response.transports ?? [],
    };
    return { ...challengeOf(kept), host: kept.host, key };
  } catch {
    throw invalid(['credential'], 'is not valid: register the key again', 'invalid_credential');
  }
}

/** The library keeps what a key calls its transports in a closed list; others are not needed to check it. */
const named = ({ transports: _, ...response }: z.infer<typeof Attestation>['response']) => response;

/**
 * Refuses a statement of the key's maker: none was requested, and checking its certificates would request revocation lists from
 * addresses that the sender chose.
 *
 * @throws Error
 */
async function assertNoMaker(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  const isSelf = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelf) throw new Error('a statement of the maker was not requested');
}
