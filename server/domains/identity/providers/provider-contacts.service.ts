import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import type { ProviderStatus, SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { providerContacts, signInProviders } from '#db/tables/identity/sign-in.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isOfEnvironment } from './environment-providers.ts';

/** A failed contact with a provider: its reason for programs, and in words. */
export type ContactFailure = { reason: string; detail: string };

const NOT_CONTACTED: ProviderStatus = {
  ok: null,
  reason: null,
  detail: 'It was not contacted yet',
  time: null,
};

/**
 * Returns the outcome of the last contact with each provider, by id.
 *
 * @returns only providers that were contacted
 */
export async function readContacts(db: Database): Promise<ReadonlyMap<string, ProviderStatus>> {
  const found = await rows<ProviderStatus & { id: string }>(
    db,
    sql`select provider_id as id, ok, reason, detail, ${isoOf(sql`at`)} as time from ${providerContacts}`,
  );
  return new Map(found.map(({ id, ...status }) => [id, status]));
}

/**
 * Returns the outcome of the last contact with a provider, or that there was none.
 *
 * @param id id of the provider
 */
export const statusOf = (contacts: ReadonlyMap<string, ProviderStatus>, id: string): ProviderStatus =>
  contacts.get(id) ?? NOT_CONTACTED;

/**
 * Records the outcome of a contact, unless the provider was deleted meanwhile. An outcome that does not differ is written
 * again after ten seconds only.
 *
 * @param failure null: it answered
 */
export async function recordContact(
  db: Database,
  providerId: string,
  failure: ContactFailure | null,
): Promise<void> {
  const { reason, detail } = failure ?? { reason: null, detail: 'It answers' };
  await db.execute(sql`
    insert into ${providerContacts} as known (provider_id, ok, reason, detail, at)
    select ${providerId}, ${failure === null}, ${reason}::text, ${detail}::text, now()
    where ${isOfEnvironment(providerId)} or exists (select from ${signInProviders} where id = ${providerId})
    on conflict (provider_id) do update set ok = excluded.ok, reason = excluded.reason, detail = excluded.detail, at = now()
    where known.reason is distinct from excluded.reason or known.detail <> excluded.detail
      or known.at < now() - interval '10 s'`);
}

/**
 * Returns why a provider could not be used, as it is recorded and shown; no other error is an outcome.
 *
 * @returns reason and message; null for an error that says nothing about the provider
 */
export function contactFailureOf(error: unknown): ContactFailure | null {
  if (!(error instanceof ServiceError)) return null;
  const reason = error.extra?.reason;
  return typeof reason === 'string' ? { reason, detail: error.message } : null;
}

/**
 * Runs a request to a provider, and records whether the provider could be used.
 *
 * @param ofTheUser reason of failures that say nothing about the provider; they are not recorded
 * @throws what the request throws
 */
export async function recordingContact<Value>(
  db: Database,
  { _id }: Pick<SignInProvider, '_id'>,
  ofTheUser: string,
  request: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await request();
    await recordContact(db, _id, null);
    return value;
  } catch (error) {
    const failure = contactFailureOf(error);
    if (failure && failure.reason !== ofTheUser) await recordContact(db, _id, failure);
    throw error;
  }
}

/**
 * Returns the providers that could not be used at the last contact, by name; those of the environment by their ids.
 *
 * @returns `since` as ISO 8601; `lastError` without secrets
 */
export const failingProviders = (
  db: Database,
): Promise<{ id: string; name: string; since: string; lastError: string }[]> =>
  rows(
    db,
    sql`select c.provider_id as id, coalesce(p.name, c.provider_id) as name, ${isoOf(sql`c.at`)} as since,
          c.detail as "lastError"
        from ${providerContacts} c left join ${signInProviders} p on p.id = c.provider_id
        where not c.ok and case when p.id is null then c.at > now() - interval '1 day'
          else p.doc -> 'enabled' is distinct from 'false'::jsonb end
        order by 2`,
  );

/**
 * 502: the provider cannot be used; sign-ins with local accounts do not depend on it.
 *
 * @param reason for programs, in capitals
 * @param message names the provider; fit to show
 * @param cause for the log
 */
export const providerFailed = (reason: string, message: string, cause?: unknown) =>
  new ServiceError('BAD_GATEWAY', message, { extra: { reason, retryable: true }, cause });
