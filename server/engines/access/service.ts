import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { ServiceError } from '#server/errors.ts';
import { sha256 } from '#server/vault.ts';
import type { Callers } from './callers.ts';
import { verifyPassword } from './passwords.service.ts';
import { type AdminEntry, type Caller, callerOf, type Standing } from './principal.ts';
import type { Throttle } from './throttle.service.ts';
import { readAccessToken } from './tokens.service.ts';

/** What the active profile says of signing in (interface §2.15, authenticationProps). */
export type SignInRules = {
  cookieName: string;
  /** Minutes of idleness that end a session. */
  logoutTime: number;
  uniqueSession: boolean;
  admins: readonly AdminEntry[];
};

export type Access = {
  db: Database;
  callers: Callers;
  /** Look-ups under way, by credential. */
  pending: Map<string, Promise<Caller>>;
  throttle: Throttle;
  /** Signs OAuth access tokens; every process derives the same one from the secret key. */
  tokenKey: Buffer;
  rules: () => Promise<SignInRules>;
  now: () => Date;
};

type Presented =
  | { kind: 'token'; token: string }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'unreadable' };

type Readable = Exclude<Presented, { kind: 'unreadable' }>;

type From = { address: string; background: boolean };

const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'The credential is unknown or has expired; sign in again');

/** Keys remembered Basic credentials: they are never held as text, nor as a hash that another process could test. */
const BASIC_KEY = randomBytes(32);

/**
 * Who presents this credential.
 *
 * @throws ServiceError UNAUTHORIZED when it is wrong or expired, TOO_MANY_REQUESTS when it was tried too often
 * @see decisions §3, lifecycle §1
 */
export async function principalOf(access: Access, credential: Presented, from: From): Promise<Caller> {
  if (credential.kind === 'unreadable') throw unauthorized();
  const key = keyOf(credential);
  const now = access.now().getTime();
  const known = access.callers.get(key, now);
  if (known) return known;
  // Twenty requests that start at once with one credential are one look-up, and one attempt for the throttle.
  const asked = `${key} ${from.background} ${from.address}`;
  const pending = access.pending.get(asked);
  if (pending) return pending;
  const epoch = access.callers.epoch();
  const looked = lookUp(access, credential, from).finally(() => access.pending.delete(asked));
  access.pending.set(asked, looked);
  const caller = await looked;
  // A background request leaves the session's clock alone, so it must not hide the next request from the database.
  if (!from.background && epoch === access.callers.epoch()) access.callers.set(key, caller, now);
  return caller;
}

function lookUp(access: Access, credential: Readable, from: From): Promise<Caller> {
  if (credential.kind === 'basic') return callerByPassword(access, credential, from.address);
  if (isAccessToken(credential.token)) return callerByAccessToken(access, credential.token);
  return callerBySession(access, sha256(credential.token), from.background);
}

/** Under what a caller is remembered, in this process only: hashing a token costs more than the rest of a look-up. */
function keyOf(credential: Readable): string {
  if (credential.kind === 'token') return credential.token;
  const { username, password } = credential;
  return `basic ${createHmac('sha256', BASIC_KEY)
    .update(JSON.stringify([username, password]))
    .digest('hex')}`;
}

/** A JWT has two dots; a session's token never has one (lifecycle §1: alphabet `[A-Za-z0-9_-]`). */
const isAccessToken = (token: string) => token.includes('.');

/** Share of the idle time after which a request writes that the session was used: a write a request would be waste. */
const TOUCH_SHARE = 0.02;

async function callerBySession(access: Access, tokenHash: string, background: boolean): Promise<Caller> {
  const rules = await access.rules();
  const [session] = await rows<{ accountId: string; idle: number }>(
    access.db,
    sql`select account_id as "accountId", extract(epoch from now() - last_used_at)::float8 as idle
        from sessions where token_hash = ${tokenHash}`,
  );
  const lifetime = rules.logoutTime * 60;
  if (!session || session.idle > lifetime) throw unauthorized();
  const standing = await standingOf(access.db, session.accountId);
  if (!standing) throw unauthorized();
  if (!background && session.idle > lifetime * TOUCH_SHARE) {
    await access.db.execute(sql`update sessions set last_used_at = now() where token_hash = ${tokenHash}`);
  }
  return callerOf(standing, rules.admins, tokenHash);
}

async function callerByAccessToken(access: Access, token: string): Promise<Caller> {
  const claims = await readAccessToken(access.tokenKey, token, access.now());
  if (!claims) throw unauthorized();
  const [current] = await rows<{ generation: number }>(
    access.db,
    sql`select generation from credentials where account_id = ${claims.account}`,
  );
  if (current?.generation !== claims.generation) throw unauthorized();
  const standing = await standingOf(access.db, claims.account);
  if (!standing) throw unauthorized();
  return callerOf(standing, (await access.rules()).admins, null);
}

async function callerByPassword(
  access: Access,
  { username, password }: { username: string; password: string },
  address: string,
): Promise<Caller> {
  const accountId = await proveAccount(access, username, password, address);
  if (!accountId) throw unauthorized();
  const standing = await standingOf(access.db, accountId);
  if (!standing) throw unauthorized();
  return callerOf(standing, (await access.rules()).admins, null);
}

/**
 * The active local account that this name and password prove, or null. The attempt counts from its start, so that
 * parallel ones count too; an unknown name costs the same time as a wrong password (decisions §3).
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export async function proveAccount(
  access: Access,
  username: string,
  password: string,
  address: string,
): Promise<string | null> {
  const attempt = await access.throttle.begin(username, address);
  const [found] = await rows<{ id: string; hash: string; inactive: boolean }>(
    access.db,
    sql`select a.id, c.hash, coalesce(a.inactive, false) as inactive
        from accounts a join credentials c on c.account_id = a.id
        where a.username = ${username} and a.provenance = 'local' and not coalesce(a.is_service_account, false)`,
  );
  const proven = await verifyPassword(found?.hash, password);
  if (!found || !proven || found.inactive) return null;
  await attempt.succeeded();
  return found.id;
}

/**
 * An active account with its groups and roles, inherited ones included, in one query; undefined when it is gone or
 * inactive. An inactive group gives nothing, and ends the inheritance that runs through it.
 */
export async function standingOf(db: Database, accountId: string): Promise<Standing | undefined> {
  const [row] = await rows<{ standing: string }>(
    db,
    sql`with recursive account as (
          select id, doc from accounts where id = ${accountId} and not coalesce(inactive, false)
        ), member(id) as (
          select m ->> 'groupId' from account, jsonb_array_elements(coalesce(account.doc -> 'memberOf', '[]')) m
          union
          select m ->> 'groupId' from member
            join groups g on g.id = member.id and g.doc -> 'inactive' is distinct from 'true'::jsonb,
            jsonb_array_elements(coalesce(g.doc -> 'memberOf', '[]')) m
        ), held as (
          select g.id, g.doc from groups g join member on member.id = g.id
          where g.doc -> 'inactive' is distinct from 'true'::jsonb
        ), assigned(id) as (
          select r ->> 'roleId' from account, jsonb_array_elements(coalesce(account.doc -> 'assignedRoles', '[]')) r
          union
          select r ->> 'roleId' from held, jsonb_array_elements(coalesce(held.doc -> 'assignedRoles', '[]')) r
        )
        select jsonb_build_object(
          'id', account.id, 'username', account.doc -> 'username', 'provenance', account.doc -> 'provenance',
          'groups', coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', doc -> 'name',
            'provenance', doc -> 'provenance')) from held), '[]'),
          'roles', coalesce((select jsonb_agg(roles.doc) from roles join assigned on assigned.id = roles.id), '[]')
        )::text as standing from account`,
  );
  return row && (JSON.parse(row.standing) as Standing);
}
