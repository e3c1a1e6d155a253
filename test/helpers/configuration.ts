import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { find, insert, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { accounts, groups } from '#db/tables/identity/accounts.ts';
import type { Role } from '#server/kernel/roles.ts';
import { type Answer, openService, requestsBelow } from './service.ts';

/** A service, and requests at paths below `/configuration_manager`. */
export async function openConfiguration(...options: Parameters<typeof openService>) {
  const service = await openService(...options);

  const { send, done } = requestsBelow(service, '/configuration_manager');

  /** A new group with the account that holds exactly these roles as its only member. */
  const groupOf = async (roles: readonly Role[]): Promise<string> => {
    const { caller } = await service.callerWith(roles);
    const id = newId();
    const stamps = { created: new Date().toISOString(), updated: new Date().toISOString() };
    await insert(service.db, groups, id, {
      _id: id,
      provenance: 'local',
      name: `group ${id}`,
      description: '',
      memberOf: [],
      assignedRoles: [],
      inactive: false,
      _meta: stamps,
    });
    const account = await find(service.db, accounts, caller.id);
    if (!account) throw new Error('the caller has no account');
    await replace(service.db, accounts, account, {
      ...account.doc,
      memberOf: [{ groupId: id, aaaManaged: false }],
    });
    service.platform.accessChanged();
    return id;
  };

  /** How many rows a statement counts. */
  const count = async (statement: ReturnType<typeof sql>): Promise<number> => {
    const [row] = await rows<{ count: string }>(service.db, sql`select count(*)::text as count ${statement}`);
    return Number(row?.count);
  };

  /** Requests at any path of the service. */
  const { send: call } = service;
  return { ...service, service: service.send, call, send, done, groupOf, count };
}

/** Returns the issues of a rejection, each as `path: message`. */
export const issuesOf = ({ json }: Answer): string[] =>
  ((json as { issues?: { path: (string | number)[]; message: string }[] }).issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
