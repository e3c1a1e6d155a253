import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { integrationTokens } from '#db/tables/integrations/integration-calls.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { SealLocation } from '#server/kernel/secrets/vault.ts';
import { storedToken, textIn } from './security.ts';
import { type IssuedToken, requestToken, type TokenRequest } from './token-request.service.ts';

/** Time in seconds before its end at which a token is no longer used. */
const SPARE_S = 60;
/** Time in seconds after which another process may request a token, if the one that began to was lost. */
const LEASE_S = 60;
const POLL_MS = 50;
/** Time in milliseconds for which a denied sign-in is not tried again with the same credentials. */
const DENIED_MS = 5000;
/** Most milliseconds that a token is waited for: less than the lease. */
const LONGEST_MS = 45_000;

/** The token that is wanted. */
export type WantedToken = TokenRequest & {
  adapter: string;
  /** Name of the security scheme. */
  name: string;
  /** A token that the other system rejected. */
  rejected?: string | undefined;
};

type TokenRow = { sealed: string | null; fingerprint: string; left: number | null };

/**
 * Returns an access token: the stored one, or a new one. Only one process at a time requests a token for a scheme; it is
 * kept sealed until a minute before it ends.
 *
 * @throws ServiceError as requestToken
 */
export async function accessToken(call: SystemContext, wanted: WantedToken): Promise<string> {
  const { adapter, name, credential, rejected } = wanted;
  const own = storedToken(credential);
  if (own && own !== rejected && !textIn(credential, 'client_id')) return own;
  const print = fingerprintOf(call, wanted);
  const key = JSON.stringify([adapter, name, print, rejected ?? '']);
  const { underWay } = sharedOf(call.db);
  // Calls of this process wait for the same token, and share its failure, also those that begin shortly after it: a wrong
  // secret is tried once and not a hundred times, which could lock the account.
  const known = underWay.get(key);
  if (known) return orAbort(known, wanted.signal);
  const shared = { ...wanted, signal: AbortSignal.timeout(LONGEST_MS) };
  const found = findOrRequest(call, shared, print);
  underWay.set(key, found);
  const forget = () => void underWay.delete(key);
  found.then(forget, (error: unknown) =>
    isDenied(error) ? setTimeout(forget, DENIED_MS).unref() : forget(),
  );
  return orAbort(found, wanted.signal);
}

const isDenied = (error: unknown) => error instanceof ServiceError && error.extra?.reason === 'AUTH_FAILED';

/** Returns the result of work that others wait for too; the signal ends only this wait. */
async function orAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', leave));
}

const sharedOf = perDatabase(() => ({ underWay: new Map<string, Promise<string>>() }));

async function findOrRequest(call: SystemContext, wanted: WantedToken, print: string): Promise<string> {
  for (;;) {
    wanted.signal.throwIfAborted();
    const usable = usableToken(call, wanted, print, await readRow(call.db, wanted));
    if (usable) return usable.accessToken;
    const claimed = await claim(call.db, wanted, print);
    if (claimed) return renew(call, wanted, print, claimed);
    await sleep(POLL_MS * (0.5 + Math.random()), undefined, { signal: wanted.signal });
  }
}

const placeOf = ({ adapter, name }: WantedToken): SealLocation => ['integration_tokens', adapter, name];

/** Returns an HMAC of everything that decides which token is issued. */
function fingerprintOf({ platform }: SystemContext, { credential, scheme }: WantedToken): string {
  const parts = JSON.stringify([credential, scheme]);
  return createHmac('sha256', platform.vault.derive('integration tokens')).update(parts).digest('base64url');
}

const SECONDS_LEFT = sql`extract(epoch from expires_at - clock_timestamp())::float8`;

async function readRow(db: Database, { adapter, name }: WantedToken): Promise<TokenRow | undefined> {
  const [row] = await rows<TokenRow>(
    db,
    sql`select sealed, fingerprint, ${SECONDS_LEFT} as left from ${integrationTokens}
        where adapter = ${adapter} and scheme = ${name}`,
  );
  return row;
}

/** Returns a stored token that was fetched with the same credentials, whether it is still valid or not. */
function ownToken(
  { platform }: SystemContext,
  wanted: WantedToken,
  print: string,
  row: TokenRow | undefined,
) {
  if (!row?.sealed || row.fingerprint !== print) return undefined;
  return JSON.parse(platform.vault.open(row.sealed, placeOf(wanted))) as IssuedToken;
}

function usableToken(call: SystemContext, wanted: WantedToken, print: string, row: TokenRow | undefined) {
  if (row?.left != null && row.left <= SPARE_S) return undefined;
  const token = ownToken(call, wanted, print, row);
  return token && token.accessToken !== wanted.rejected ? token : undefined;
}

/** Claims the request of a token. @returns the row as it was, or undefined when another process requests one */
async function claim(db: Database, { adapter, name }: WantedToken, print: string) {
  const until = sql`clock_timestamp() + make_interval(secs => ${LEASE_S})`;
  const [row] = await rows<TokenRow>(
    db,
    sql`insert into ${integrationTokens} as t (adapter, scheme, fingerprint, renewing_until)
        values (${adapter}, ${name}, ${print}, ${until})
        on conflict (adapter, scheme) do update set renewing_until = ${until}
          where t.renewing_until is null or t.renewing_until < clock_timestamp()
        returning t.sealed, t.fingerprint, extract(epoch from t.expires_at - clock_timestamp())::float8 as left`,
  );
  return row;
}

/** Requests a token and stores it, unless another process did so just before this one took the right to. */
async function renew(
  call: SystemContext,
  wanted: WantedToken,
  print: string,
  row: TokenRow,
): Promise<string> {
  const { adapter, name } = wanted;
  const fresh = usableToken(call, wanted, print, row);
  const issued =
    fresh ??
    (await requested(call, wanted, ownToken(call, wanted, print, row)).catch(async (error: unknown) => {
      // Why there is no token is what the caller needs; a lock that is not released expires.
      await release(call.db, wanted).catch(() => undefined);
      throw error;
    }));
  if (fresh) {
    await release(call.db, wanted);
    return fresh.accessToken;
  }
  const sealed = call.platform.vault.seal(JSON.stringify(issued), placeOf(wanted));
  const lifetime = issued.expiresInS ?? null;
  await rows(
    call.db,
    sql`update ${integrationTokens} set sealed = ${sealed}, fingerprint = ${print}, renewing_until = null,
          expires_at = clock_timestamp() + make_interval(secs => ${lifetime}::float8)
        where adapter = ${adapter} and scheme = ${name}`,
  );
  return issued.accessToken;
}

const release = (db: Database, { adapter, name }: WantedToken) =>
  rows(
    db,
    sql`update ${integrationTokens} set renewing_until = null where adapter = ${adapter} and scheme = ${name}`,
  );

/** Renews with the last refresh token where there is one; if that is rejected, requests a token from the start. */
async function requested(call: SystemContext, wanted: WantedToken, last: IssuedToken | undefined) {
  const { token } = wanted.credential;
  const refreshToken =
    last?.refreshToken ?? (isObject(token) ? textIn(token, 'refresh_token') || undefined : undefined);
  if (!refreshToken) return requestToken(call, wanted);
  try {
    return await requestToken(call, { ...wanted, refreshToken });
  } catch (error) {
    if (wanted.signal.aborted || !textIn(wanted.credential, 'client_id')) throw error;
    return requestToken(call, wanted);
  }
}
