import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'drizzle-orm';
import { acquireLock, type Database, inTransaction } from '#db/client.ts';
import { find, insert, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { accounts, credentials, groups, roles } from '#db/tables/identity/accounts.ts';
import { ConfigError } from '#server/kernel/config.ts';
import type { Endpoint } from '#server/kernel/platform.ts';
import { PLATFORM } from '#server/kernel/principal.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { newStamps } from '../accounts/updates.ts';
import { findWeakness } from '../sessions/common-passwords.ts';
import { hashPassword } from '../sessions/passwords.service.ts';
import { partsOf, viewsOfRole } from './permissions.ts';

const DESCRIPTIONS: Record<(typeof ROLES)[number], string> = {
  admin: 'Runs the platform: accounts, profiles, adapters, devices',
  apiread: 'Programs that read',
  apiwrite: 'Programs that write; add apiread to read back',
  designer: 'Authors projects, workflows and templates',
  engineering: 'Runs and operates automations',
  support: 'Views jobs and works on manual tasks',
  other: 'Reads from orchestrators only',
};

/**
 * Creates the built-in roles and the group of API clients, or updates them to this release's endpoints
 * (contract/lifecycle#0.8, #3).
 */
export async function seedAccess(
  db: Database,
  { catalogue }: { catalogue: readonly Endpoint[] },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await acquireLock(tx, 'switchyard seeds');
    const ids = new Map<string, string>();
    for (const name of ROLES) ids.set(name, await seedRole(tx, name, catalogue));
    const clients = await find(tx, groups, sql`name = 'api_clients' and doc ->> 'provenance' = ${PLATFORM}`);
    if (clients) return;
    const id = newId();
    await insert(tx, groups, id, {
      _id: id,
      provenance: PLATFORM,
      name: 'api_clients',
      description: 'Programs that write, and read back what they wrote',
      memberOf: [],
      assignedRoles: ['apiread', 'apiwrite'].map((name) => ({ roleId: ids.get(name) ?? '' })),
      inactive: false,
      _meta: newStamps(new Date()),
    });
  });
}

async function seedRole(
  tx: Database,
  name: (typeof ROLES)[number],
  catalogue: readonly Endpoint[],
): Promise<string> {
  const found = await find(tx, roles, sql`name = ${name} and doc ->> 'provenance' = ${PLATFORM}`);
  const mine = catalogue.filter(({ audience }) => typeof audience !== 'string' && audience.includes(name));
  const allowedMethods = mine.map(({ permission }) => partsOf(permission));
  const allowedViews = viewsOfRole(catalogue, name);
  const rights = { description: DESCRIPTIONS[name], allowedMethods, allowedViews };
  if (found) {
    const next = { ...found.doc, ...rights };
    if (!isDeepStrictEqual(next, found.doc)) await replace(tx, roles, found, next);
    return found.id;
  }
  const id = newId();
  await insert(tx, roles, id, { _id: id, provenance: PLATFORM, name, ...rights });
  return id;
}

/**
 * Creates the account `admin` on the first start.
 *
 * @param given the operator's password; it is stored at once
 * @returns a random password, when none was given and the account is new, with the function that stores it: the caller
 *   prints it first (contract/decisions#3: printed once, no default password ever)
 * @throws ConfigError when the given password is easy to guess
 */
export async function createAdmin(db: Database, given: string | undefined) {
  const exists = await find(db, accounts, sql`username = 'admin' and provenance = 'local'`);
  if (exists) return { password: null, store: async () => false };
  const weakness = given === undefined ? null : await findWeakness(given, 'admin');
  if (weakness !== null) throw new ConfigError(`configuration: ADMIN_PASSWORD ${weakness}`);
  const password = given ?? randomBytes(15).toString('base64url');
  const store = () => storeAdmin(db, password);
  if (given !== undefined) {
    await store();
    return { password: null, store };
  }
  return { password, store };
}

/** @returns false when another process created the account meanwhile */
async function storeAdmin(db: Database, password: string): Promise<boolean> {
  const hash = await hashPassword(password);
  return inTransaction(db, async (tx) => {
    await acquireLock(tx, 'switchyard seeds');
    // When two processes start at the same time, the first one's password counts; the second must not overwrite it.
    if (await find(tx, accounts, sql`username = 'admin' and provenance = 'local'`)) return false;
    const role = await find(tx, roles, sql`name = 'admin' and doc ->> 'provenance' = ${PLATFORM}`);
    const id = newId();
    await insert(tx, accounts, id, {
      _id: id,
      provenance: 'local',
      username: 'admin',
      firstname: 'Administrator',
      email: '',
      inactive: false,
      isServiceAccount: false,
      memberOf: [],
      assignedRoles: role ? [{ roleId: role.id }] : [],
      _meta: newStamps(new Date()),
    });
    await tx.insert(credentials).values({ accountId: id, hash });
    return true;
  });
}
