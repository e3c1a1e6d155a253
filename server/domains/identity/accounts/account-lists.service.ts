import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { type ListOptions, list } from '#db/list/list.ts';
import type { ListQuery } from '#db/list/query.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource, type Resource } from '#db/list/resource.ts';
import { Account, Group, Role, ServiceAccount } from '#db/schemas/identity/account.ts';
import { Method } from '#db/schemas/identity/method.ts';
import { View } from '#db/schemas/identity/view.ts';
import { accounts, groups, roles } from '#db/tables/identity/accounts.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { methodsOf, viewsOf } from '../rights/permissions.ts';
import { PROVIDED_METHODS } from '../rights/provided-rights.service.ts';
import { withPresence } from './accounts.service.ts';
import { readServiceAccounts } from './service-accounts.service.ts';

/** Presence, which is not part of an account's document, cannot be filtered or sorted by. */
const accountList = defineResource({
  name: 'accounts',
  schema: Account.omit({
    loggedIn: true,
    lastLogin: true,
    preferences: true,
    gitTokens: true,
    inheritedGroups: true,
    inheritedRoles: true,
  }),
  source: accounts,
  columns: {
    username: accounts.username,
    provenance: accounts.provenance,
    inactive: accounts.inactive,
    isServiceAccount: accounts.isServiceAccount,
  },
});

const groupList = defineResource({
  name: 'groups',
  schema: Group.omit({ inheritedGroups: true, inheritedRoles: true }),
  source: groups,
  columns: { name: groups.name, provenance: groups.provenance },
  unlimited: true,
});

const roleList = defineResource({
  name: 'roles',
  schema: Role,
  source: roles,
  columns: { name: roles.name },
});

const serviceAccountList = defineResource({
  name: 'service accounts',
  schema: ServiceAccount,
  source: 'given',
});

const viewList = defineResource({ name: 'views', schema: View, source: 'given' });

const methodList = defineResource({ name: 'methods', schema: Method, source: 'given', unlimited: true });

/** Returns a page of accounts, each with whether it has a session: two queries, whatever their number. */
export async function listAccounts({ db, platform }: SystemContext<'access' | 'catalogue'>, query: object) {
  const listQuery = readList(accountList, query, { plain: ['inactive', 'isServiceAccount'] });
  const { texts, total } = await list(db, accountList, listQuery);
  const page = texts.map((text) => JSON.parse(text) as Account);
  return { results: await withPresence(db, await platform.access.knownRules(), page), total };
}

/** Returns the usernames of accounts, for users who see their ids in documents; ids of no account are left out. */
export const listAccountNames = (db: Database, ids: readonly string[]) =>
  db
    .select({ _id: accounts.id, username: accounts.username, provenance: accounts.provenance })
    .from(accounts)
    .where(isOneOf(accounts.id, ids))
    .orderBy(accounts.username, accounts.id);

/**
 * Lists groups.
 *
 * @param query filter, order and page
 * @returns the page as JSON text
 */
export const listGroups = ({ db }: SystemContext<'access' | 'catalogue'>, query: object) =>
  pageOf<Group>(db, groupList, readList(groupList, query, { plain: ['inactive'] }));

/**
 * Lists roles.
 *
 * @param query filter, order and page
 * @returns the page as JSON text
 */
export const listRoles = ({ db }: SystemContext<'access' | 'catalogue'>, query: object) =>
  pageOf<Role>(db, roleList, readList(roleList, query));

/**
 * Lists service accounts.
 *
 * @param query filter, order and page
 * @returns the page as JSON text
 */
export const listServiceAccounts = async ({ db }: SystemContext<'access' | 'catalogue'>, query: object) =>
  pageOf<ServiceAccount>(
    db,
    serviceAccountList,
    readList(serviceAccountList, query),
    await readServiceAccounts(db),
  );

/** Lists the views (contract/endpoints#4.3). */
export const listViews = ({ db, platform }: SystemContext<'access' | 'catalogue'>, query: object) =>
  pageOf<View>(db, viewList, readList(viewList, query), viewsOf(platform.catalogue));

/**
 * Lists the methods: one row per REST endpoint, generated from the router (contract/lifecycle#3), then those that
 * something stored provides.
 */
export const listMethods = async ({ db, platform }: SystemContext<'access' | 'catalogue'>, query: object) => {
  const asked = readList(methodList, query);
  return pageOf<Method>(db, methodList, asked, {
    text: JSON.stringify(methodsOf(platform.catalogue)),
    followedBy: PROVIDED_METHODS,
  });
};

async function pageOf<Document>(
  db: Database,
  resource: Resource,
  query: ListQuery,
  given?: ListOptions['given'],
) {
  return core<Document>(await list(db, resource, query, given ? { given } : {}));
}
