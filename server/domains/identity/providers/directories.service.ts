import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { directoryIdentities } from '#db/tables/identity/sign-in.ts';
import type { Directories } from '#server/kernel/access.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { openFairQueue } from '#server/kernel/timing/fair-queue.ts';
import { askDirectories } from './ask-directories.service.ts';
import { storeDirectoryAccount, withdrawMappedFrom } from './directory-accounts.service.ts';
import type { DirectoryUser } from './directory-user.ts';
import { findLdapUser, proveLdapUser } from './ldap-client.service.ts';
import { saysGroups, userOf } from './oidc/oidc-claims.ts';
import { type ProviderTokens, readAgain, settingsOf } from './oidc/oidc-client.service.ts';
import { placeOfTokens } from './oidc/oidc-sign-in.service.ts';
import { contactFailureOf, readContacts, recordingContact, statusOf } from './provider-contacts.service.ts';
import { openProvider, openProviders } from './providers.service.ts';

/** How long rights are not compared with the directory again, in seconds: with the look-ups, less than a minute. */
const CHECKED_S = 50;
/** Maximum time that a request waits for a directory, in milliseconds; the comparison then continues without it. */
const TIMEOUT_MS = 4000;
/** How long known sessions keep their rights while a directory does not answer, unless the provider sets it. */
const GRACE_MINUTES = 15;
/** Rejected sign-ins are answered after a multiple of this time, in milliseconds. */
const STEP_MS = 1000;
/** Sign-ins that wait for a directory at the same time. */
const turns = openFairQueue({ atOnce: 16, most: Number.POSITIVE_INFINITY });

type Session = { tokenHash: string; providerId: string };
type Identity = {
  providerId: string;
  subject: string;
  type: SignInProvider['type'];
  checked: number;
  confirmed: number;
};

/**
 * Returns what signing in and identifying callers need of directories.
 *
 * @param parts returns the parts of the service, which are complete by the first request
 */
export function openDirectories(parts: () => SystemContext): Directories {
  return {
    prove: (username, password, source) => turns.run(source, () => prove(parts(), username, password)),
    conceal: (began) => conceal(parts(), began),
    confirm: (account, session) => confirm(parts(), account.id, session),
  };
}

async function prove(parts: SystemContext, username: string, password: string) {
  const { db, platform } = parts;
  if (password === '' || username.includes('\0')) return null;
  const [providers, contacts] = [await openProviders(parts, 'ldap'), await readContacts(db)];
  const found = await askDirectories(
    providers.map((provider) => ({
      isFailing: statusOf(contacts, provider._id).ok === false,
      ask: (mayVerify: () => Promise<boolean>) =>
        contact(parts, provider, () =>
          proveLdapUser(parts, provider, { username, password }, mayVerify),
        ).catch((error: unknown) => {
          if (contactFailureOf(error)) return undefined;
          throw error;
        }),
    })),
  );
  const provider = found && providers[found.at];
  if (!provider || !found.user) return null;
  const { user } = found;
  try {
    const account = await inTransaction(db, (tx) => storeDirectoryAccount(tx, provider, user, platform));
    if (account.changed) platform.accessChanged();
    const { id, username: name } = account;
    return {
      id,
      username: name,
      generation: null,
      provider: { providerId: provider._id, subject: user.subject },
    };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'FORBIDDEN') throw error;
    platform.log.info(
      { provider: provider.name, reason: error.message },
      'a user of a directory was not admitted',
    );
    return null;
  }
}

async function conceal(parts: SystemContext, began: number): Promise<void> {
  if ((await openProviders(parts, 'ldap')).length === 0) return;
  await sleep(STEP_MS - ((performance.now() - began) % STEP_MS));
}

/** Runs a request to a provider, and records whether it could be used: that a user's tokens have ended says nothing about it. */
const contact = <Value>({ db }: SystemContext, provider: SignInProvider, request: () => Promise<Value>) =>
  recordingContact(db, provider, 'SESSION_ENDED', request);

async function confirm(parts: SystemContext, accountId: string, session: Session | null): Promise<boolean> {
  const { db, platform } = parts;
  const identity = await identityOf(db, accountId, session);
  if (!identity) return session === null;
  const provider = await openProvider(parts, identity.providerId).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (!provider) return false;
  const isOidc = provider.type === 'oidc';
  // Without a session there are no tokens for a request to an OpenID Connect provider.
  if (isOidc && !session) return true;
  if (identity.checked >= CHECKED_S && (await claim(db, identity, isOidc ? session : null))) {
    const comparison =
      isOidc && session ? compareOidc(parts, provider, session) : compareLdap(parts, provider, identity);
    comparison.catch((err: unknown) =>
      platform.log.warn({ err, provider: provider.name }, 'an account was not compared with its directory'),
    );
    const outcome = await Promise.race([comparison, sleep(TIMEOUT_MS, 'late' as const, { ref: false })]);
    if (outcome === 'ended') return false;
    if (outcome === 'confirmed') return true;
  }
  return identity.confirmed <= (provider.graceMinutes ?? GRACE_MINUTES) * 60;
}

/** Returns the user of a directory behind an account, with the seconds since it was compared and confirmed. */
async function identityOf(
  db: Database,
  accountId: string,
  session: Session | null,
): Promise<Identity | undefined> {
  const ofSession = session === null ? sql`false` : sql`s.provider_tokens is not null`;
  const [found] = await rows<Identity>(
    db,
    sql`select i.provider_id as "providerId", i.subject,
          extract(epoch from now() - case when ${ofSession} then s.provider_checked_at else i.checked_at end)::float8 as checked,
          extract(epoch from now() - case when ${ofSession} then s.provider_confirmed_at else i.confirmed_at end)::float8 as confirmed
        from ${directoryIdentities} i left join ${sessions} s on s.token_hash = ${session?.tokenHash ?? ''}
        where i.account_id = ${accountId} and (${session?.providerId ?? null}::text is null or i.provider_id = ${session?.providerId ?? null})
        limit 1`,
  );
  return found;
}

/** Returns whether this request is the one that compares: of concurrent ones only the first does. */
async function claim(
  db: Database,
  { providerId, subject }: Identity,
  session: Session | null,
): Promise<boolean> {
  const isDue = (column: typeof sessions.providerCheckedAt | typeof directoryIdentities.checkedAt) =>
    sql`${column} <= now() - make_interval(secs => ${CHECKED_S}::float8)`;
  const claimed = session
    ? await db
        .update(sessions)
        .set({ providerCheckedAt: sql`now()` })
        .where(and(eq(sessions.tokenHash, session.tokenHash), isDue(sessions.providerCheckedAt)))
        .returning({ id: sessions.id })
    : await db
        .update(directoryIdentities)
        .set({ checkedAt: sql`now()` })
        .where(
          and(
            eq(directoryIdentities.providerId, providerId),
            eq(directoryIdentities.subject, subject),
            isDue(directoryIdentities.checkedAt),
          ),
        )
        .returning({ id: directoryIdentities.accountId });
  return claimed.length > 0;
}

type Outcome = 'confirmed' | 'ended' | 'away';

async function compareOidc(
  parts: SystemContext,
  provider: SignInProvider,
  session: Session,
): Promise<Outcome> {
  const { db, platform } = parts;
  const isThis = eq(sessions.tokenHash, session.tokenHash);
  const [found] = await db
    .select({ subject: sessions.subject, tokens: sessions.providerTokens })
    .from(sessions)
    .where(isThis);
  if (!found?.tokens || found.subject === null) return 'ended';
  const { subject } = found;
  const place = placeOfTokens(provider._id, subject);
  const tokens = JSON.parse(platform.vault.open(found.tokens, place)) as ProviderTokens;
  try {
    const read = await contact(parts, provider, () => readAgain(parts, provider, tokens, subject));
    const providerTokens = read
      ? { providerTokens: platform.vault.seal(JSON.stringify(read.tokens), place) }
      : {};
    await db
      .update(sessions)
      .set({ ...providerTokens, providerConfirmedAt: sql`now()` })
      .where(isThis);
    if (!read) return 'confirmed';
    const settings = settingsOf(provider);
    const user = userOf(read.claims, settings);
    const known = await lastKnown(db, provider, subject);
    const groups = saysGroups(read.claims, settings) ? user.groups : (known?.groups ?? []);
    const isNamed =
      typeof read.claims.preferred_username === 'string' || settings.usernameClaim !== undefined;
    return store(parts, provider, { ...user, ...(!isNamed && known && known.described), groups });
  } catch (error) {
    const failure = contactFailureOf(error);
    if (!failure) throw error;
    if (failure.reason !== 'SESSION_ENDED') return 'away';
    await db.delete(sessions).where(isThis);
    platform.accessChanged();
    return 'ended';
  }
}

/** Returns what was last known of a user: for answers that describe less than the sign-in did. */
async function lastKnown(db: Database, provider: SignInProvider, subject: string) {
  const [found] = await rows<{
    groups: string[];
    described: Pick<DirectoryUser, 'username' | 'firstname' | 'email'>;
  }>(
    db,
    sql`select i.groups, jsonb_build_object('username', a.doc -> 'username', 'firstname', a.doc -> 'firstname',
          'email', a.doc -> 'email') as described
        from ${directoryIdentities} i join accounts a on a.id = i.account_id
        where i.provider_id = ${provider._id} and i.subject = ${subject}`,
  );
  return found;
}

async function compareLdap(
  parts: SystemContext,
  provider: SignInProvider,
  { subject }: Identity,
): Promise<Outcome> {
  try {
    const user = await contact(parts, provider, () => findLdapUser(parts, provider, subject));
    if (user) return await store(parts, provider, user);
    await endDirectoryAccess(parts, provider, subject);
    return 'ended';
  } catch (error) {
    if (!contactFailureOf(error)) throw error;
    return 'away';
  }
}

/** Stores the current rights of a user; a user who has none any more is signed out. */
async function store(parts: SystemContext, provider: SignInProvider, user: DirectoryUser): Promise<Outcome> {
  const { db, platform } = parts;
  try {
    const { changed } = await inTransaction(db, (tx) => storeDirectoryAccount(tx, provider, user, platform));
    if (changed) platform.accessChanged();
    return 'confirmed';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'FORBIDDEN') throw error;
    await endDirectoryAccess(parts, provider, user.subject);
    return 'ended';
  }
}

/** Ends the sessions of a user whom the directory no longer admits, and withdraws what it granted. */
async function endDirectoryAccess(
  parts: SystemContext,
  provider: SignInProvider,
  subject: string,
): Promise<void> {
  const { db, platform } = parts;
  await inTransaction(db, async (tx) => {
    const { providerId, accountId } = directoryIdentities;
    const [found] = await tx
      .select({ id: accountId })
      .from(directoryIdentities)
      .where(and(eq(providerId, provider._id), eq(directoryIdentities.subject, subject)));
    if (!found) return;
    await withdrawMappedFrom(tx, platform, [found.id]);
    await tx.delete(sessions).where(eq(sessions.accountId, found.id));
  });
  platform.accessChanged();
}
