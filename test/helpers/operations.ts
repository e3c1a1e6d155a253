import { find, insert, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { accounts, groups } from '#db/tables/identity/accounts.ts';
import { importAssets } from '#server/domains/workflow/definitions/import-assets.service.ts';
import type { Role } from '#server/kernel/roles.ts';
import { asAdmin, asset } from './documents/assets.ts';
import { type Answer, openService, requestsBelow } from './service.ts';

type Kind = 'workflow' | 'jsonForm' | 'transformation';

/** The Ops envelope. */
export type Envelope<Document> = { message: string; data: Document; metadata: Record<string, unknown> };

/** A document as tests look at it. */
export type Doc = Record<string, unknown> & { _id: string; name: string };

/** A service, and requests at paths below `/operations-manager`. */
export async function openOperations() {
  const service = await openService();

  const { send, done: whole } = requestsBelow(service, '/operations-manager');

  /** The same, for requests that must succeed. */
  const done = <Data = Doc>(...request: Parameters<typeof whole>) => whole<Envelope<Data>>(...request);

  /** Store an asset that automations and triggers can name; `more` may give it members and an id. */
  const store = async (kind: Kind, name: string, more: Record<string, unknown> = {}) => {
    const made = await asAdmin(service, (ctx) =>
      importAssets(ctx, [{ kind, doc: asset(kind, name, more) }], { projectId: null, onTaken: 'reject' }),
    );
    const [one] = made;
    if (!one) throw new Error('nothing was stored');
    return { id: one.id, name: one.name };
  };

  /** A new automation, of a new workflow unless said otherwise. */
  const automation = async (name: string, more: Record<string, unknown> = {}): Promise<Doc> => {
    const component =
      'componentId' in more ? {} : { componentId: (await store('workflow', `Flow of ${name}`)).id };
    const body = { name, componentType: 'workflows', ...component, ...more };
    return (await done('POST', '/automations', body)).data;
  };

  const trigger = async (actionId: string, more: Record<string, unknown>): Promise<Doc> =>
    (await done('POST', '/triggers', { actionType: 'automations', actionId, ...more })).data;

  /** A new group with the accounts that hold exactly these roles as its only members. */
  const groupOf = async (...members: (Role | readonly Role[])[]): Promise<string> => {
    const id = newId();
    const stamps = { created: new Date().toISOString(), updated: new Date().toISOString() };
    await insert(service.db, groups, id, {
      _id: id,
      provenance: 'local',
      name: `group ${id}`,
      description: `Members of ${id}`,
      memberOf: [],
      assignedRoles: [],
      inactive: false,
      _meta: stamps,
    });
    for (const roles of members) {
      const { caller } = await service.callerWith(roles);
      const account = await find(service.db, accounts, caller.id);
      if (!account) throw new Error('the caller has no account');
      const memberOf = [...(account.doc.memberOf ?? []), { groupId: id, aaaManaged: false }];
      await replace(service.db, accounts, account, { ...account.doc, memberOf });
    }
    service.platform.accessChanged();
    return id;
  };

  return {
    ...service,
    /** Requests at any path. */ sendAt: service.send,
    send,
    done,
    store,
    automation,
    trigger,
    groupOf,
  };
}

/** Returns the issues of a rejection, each as `path: message`. */
export const issuesOf = ({ json }: Answer): string[] =>
  ((json as { issues?: { path: (string | number)[]; message: string }[] }).issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

export const hour = 3_600_000;
export const day = 24 * hour;
