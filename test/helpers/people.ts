import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Account } from '#db/schemas/identity/account.ts';
import { credentials } from '#db/tables/identity/accounts.ts';
import type { Role } from '#server/kernel/roles.ts';
import { storeAccount } from './identity/stored-accounts.ts';
import type { openService } from './service.ts';

type Service = Awaited<ReturnType<typeof openService>>;
type Json = Record<string, unknown>;

/** An account of a person that exists: who it is, and how it signs in. */
export type Person = { id: string; username: string; password: string };

/** The id of a role, by name. */
export async function roleId({ db }: Pick<Service, 'db'>, name: string): Promise<string> {
  const [role] = await rows<{ id: string }>(
    db,
    sql`select id from roles where name = ${name} order by provided`,
  );
  if (!role) throw new Error(`no role ${name}`);
  return role.id;
}

/** The least work that Argon2 accepts. A hash of the service costs 20 ms of CPU time, and so does each sign-in against it. */
const WEAK = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/**
 * Stores an account with a password, with these roles and whatever else is given. Its password is hashed weakly: tests of
 * accounts and of passwords create theirs through the service.
 */
export async function createPerson(
  { db }: Pick<Service, 'db'>,
  roles: readonly (Role | string)[] = [],
  more: Partial<Account> = {},
): Promise<Person> {
  const assignedRoles = await Promise.all(
    roles.map(async (name) => ({ roleId: await roleId({ db }, name) })),
  );
  const account = { username: `person-${randomUUID()}`, assignedRoles, ...more };
  const id = await storeAccount(db, account);
  const password = `pass-${randomUUID()}`;
  await db.insert(credentials).values({ accountId: id, hash: await hash(password, WEAK) });
  return { id, username: account.username, password };
}

/** Sign in over HTTP. */
export async function signIn(service: Service, { username, password }: Omit<Person, 'id'>): Promise<string> {
  const answer = await service.send(null, 'POST', '/login', { username, password });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.text;
}

/** A request of a person's own, by its session's token. */
export const sendAs = (
  service: Service,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) => service.send(null, method, path, body, { headers: { Authorization: `Bearer ${token}`, ...headers } });

/** A list as one person sees it. */
export type Listed = { results: (Json & { _id: string })[]; total: number };

/** Reads a list by a session's token. */
export async function listAs(service: Service, token: string, path: string): Promise<Listed> {
  const { status, text, json } = await sendAs(service, token, 'GET', path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return json as Listed;
}

/** Returns the status with which a process at another address answers the owner of a token. */
export const whoAmIAt = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/whoami`, { headers: { Authorization: `Bearer ${token}` } })).status;

export const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/** Make a profile with these sign-in rules the active one; null: none is active. */
export async function setSignInRules(service: Service, authenticationProps: Json | null): Promise<void> {
  await rows(service.db, sql`delete from profiles`);
  if (authenticationProps) {
    const doc = JSON.stringify({ id: 'lab', authenticationProps });
    await rows(
      service.db,
      sql`insert into profiles (id, doc, active) values ('lab', ${doc}::text::jsonb, true)`,
    );
  }
  service.platform.accessChanged();
}

/**
 * Lets a person create a service account.
 *
 * @param token of the person's session
 * @returns an access token of the service account
 */
export async function createRobot(service: Service, token: string, roles: readonly Role[]): Promise<string> {
  const assignedRoles = await Promise.all(
    roles.map(async (name) => ({ roleId: await roleId(service, name) })),
  );
  const accountData = { name: `robot-${randomUUID()}`, assignedRoles };
  const made = await sendAs(service, token, 'POST', '/oauth/serviceAccounts', { accountData });
  if (made.status !== 200) throw new Error(made.text);
  const { client_id, client_secret } = (made.json as { results: Record<string, string> }).results;
  const form = {
    grant_type: 'client_credentials',
    client_id: `${client_id}`,
    client_secret: `${client_secret}`,
  };
  const issued = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  if (issued.status !== 200) throw new Error(issued.text);
  return (issued.json as { access_token: string }).access_token;
}

/** A group that exists. */
export async function createGroup(service: Service, group: Json = {}): Promise<string> {
  const answer = await service.send('admin', 'POST', '/authorization/groups', {
    group: { name: `group-${randomUUID()}`, ...group },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { data: { _id: string } }).data._id;
}

/** Whether a statement of the service's database waits for another one's lock. */
export async function isWaiting(service: Service): Promise<boolean> {
  const found = await rows(
    service.db,
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.length > 0;
}

/** Waits until a condition holds, polling it for at most a minute: a limit for what hangs. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('the condition never held');
    await sleep(10);
  }
}
