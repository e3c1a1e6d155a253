import type { AuditCredential } from '#db/schemas/operations/audit.ts';
import { forbidden } from './errors.ts';
import type { Audience } from './roles.ts';

/** The caller: an account with its roles and groups, inherited ones included (contract/lifecycle#3). */
export type Caller = {
  id: string;
  username: string;
  provenance: string;
  roles: readonly string[];
  groups: readonly string[];
  /** Permissions `Area.method` that custom roles add. */
  permissions: readonly string[];
  /** True where trees, devices, device groups and backups without an access list are for administrators only. */
  hidesUnlisted?: boolean;
  /** True where secrets in configurations are masked for callers without a permission (`seesConfigurationSecrets`). */
  masksSecrets?: boolean;
  /** The hash of the session's token; null for Basic and OAuth callers. */
  session: string | null;
  /** The personal token that was presented; the roles above are already narrowed by it. */
  token?: PresentedToken;
  /** By which means the account acts, for the audit trail; absent: work that no request or job carries. */
  credential?: AuditCredential;
  /**
   * The accounts whose common rights these are, when a task runs for one account and was confirmed by another: an
   * access list, membership or policy must admit each of them. Absent: the caller is one account (`callersIn`).
   */
  sharedBy?: readonly Caller[];
};

/** The properties of a personal token that decide what its bearer may do. */
type PresentedToken = {
  id: string;
  readOnly: boolean;
  /** Names of the roles that it may use, whether the account currently holds them or not. */
  roles: readonly string[];
  /** Whether the account now holds more than the token may use. */
  isNarrower: boolean;
};

/** Names of the effective roles, by account id, of accounts that started or confirmed work with a personal token. */
export type TokenRoles = Readonly<Record<string, readonly string[]>>;

/** Returns the effective roles for work that a caller starts; undefined: all roles of its account. */
export const tokenRolesOf = ({ id, token }: Pick<Caller, 'id' | 'token'>): TokenRoles | undefined =>
  token && { [id]: token.roles };

/** Returns whether a personal token keeps the caller from rights of its account. The role admin has all rights. */
export const hasFewerRights = ({ token, roles }: Pick<Caller, 'token' | 'roles'>): boolean =>
  token?.isNarrower === true && !roles.includes('admin');

/**
 * Rejects a personal token that keeps its bearer from rights of its account, for what later runs with all of them and
 * outlives the token (decision 0056).
 *
 * @param whatRuns clause of the message: what runs with all rights of the account, such as `triggers run`
 * @throws ServiceError FORBIDDEN
 */
export function assertWholeAccount(caller: Pick<Caller, 'token' | 'roles'>, whatRuns: string): void {
  if (!hasFewerRights(caller)) return;
  throw forbidden(
    `This personal token has fewer roles than its account, and ${whatRuns} with all rights of the account: use a session, or a token that has all its roles`,
  );
}

/** The stored fields of an account that decide its rights, with the groups and roles that it inherits. */
export type AccountRights = {
  id: string;
  username: string;
  firstname: string;
  provenance: string;
  /** Whether documents without an access list are for administrators only. */
  hidesUnlisted?: boolean;
  /** Whether secrets in configurations are masked. */
  masksSecrets?: boolean;
  groups: { id: string; name: string; provenance: string }[];
  roles: HeldRole[];
};

/** A role that an account holds; fields that were never set are missing. */
export type HeldRole = {
  _id: string;
  name: string;
  provenance: string;
  allowedMethods?: { name: string; provenance: string }[];
  allowedViews?: { path: string; provenance: string }[];
  /** Of a role that comes with provided methods: whether it grants all of them, or those that read. */
  provided?: 'admin' | 'get';
};

/** An entry of the active profile's `authenticationProps.admins`: an account or group, by name and provenance. */
export type AdminEntry = { provenance?: string | undefined; group?: string | undefined };

/** Effective rights: role names, single permissions, and groups for access lists. */
export type Rights = Pick<Caller, 'roles' | 'groups' | 'permissions'>;

/**
 * Derives a caller's rights: the roles assigned to it and its groups, the single permissions of custom roles, and
 * `admin` where the active profile names the account or one of its groups (contract/decisions#3).
 *
 * @param session SHA-256 of the token of the session; null: the caller has none
 */
export function callerOf(
  accountRights: AccountRights,
  admins: readonly AdminEntry[],
  session: string | null,
): Caller {
  const { username: name, provenance } = accountRights;
  const holders = [
    { name, provenance, isForeign: !OWN_PROVENANCES.has(provenance) },
    ...accountRights.groups,
  ];
  return {
    id: accountRights.id,
    username: accountRights.username,
    provenance: accountRights.provenance,
    ...rightsOf(accountRights.roles, accountRights.groups, holders, admins),
    ...(accountRights.hidesUnlisted && { hidesUnlisted: true }),
    ...(accountRights.masksSecrets && { masksSecrets: true }),
    session,
  };
}

/**
 * Permissions that another one implies: a user who may approve a proposal may read what it contains
 * (contract/decisions#approvers).
 */
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'ConfigurationManager.approveRemediation',
    [
      'ConfigurationManager.getRemediation',
      'ConfigurationManager.previewRemediation',
      'ConfigurationManager.searchRemediations',
      'ConfigurationManager.countRemediations',
    ],
  ],
]);

/** Returns the rights that roles and groups grant to `holders`, the names by which the active profile may list admins. */
export function rightsOf(
  held: readonly HeldRole[],
  groups: readonly { id: string }[],
  holders: readonly Holder[],
  admins: readonly AdminEntry[],
): Rights {
  const roles = new Set(held.filter(isSeeded).map((role) => role.name));
  if (admins.some((entry) => holders.some((holder) => isNamed(holder, entry)))) roles.add('admin');
  const permissions = held
    .filter((role) => !isSeeded(role))
    .flatMap((role) => [
      ...(role.allowedMethods ?? []).map(permissionOfMethod),
      ...permissionsOfProvided(role),
    ])
    .flatMap((permission) => [permission, ...(IMPLIED.get(permission) ?? [])]);
  return {
    roles: [...roles],
    groups: groups.map((group) => group.id),
    permissions: [...new Set(permissions)],
  };
}

/**
 * Returns the permission for a method. The provenance of provided methods has a colon and may have dots, as may their
 * names: a line break, which neither has, separates them.
 *
 * @param provenance application or adapter type that has the method
 */
export const permissionOfMethod = ({ provenance, name }: { provenance: string; name: string }): string =>
  provenance.includes(':') ? `${provenance}\n${name}` : `${provenance}.${name}`;

/** Returns the permission for all provided methods of a provenance, or for those that read; no method has this name. */
const permissionOfAll = (provenance: string, role: 'admin' | 'get') => `${provenance}\n\n${role}`;

function permissionsOfProvided({ provenance, provided }: HeldRole): string[] {
  if (provided === undefined) return [];
  return provided === 'admin'
    ? [permissionOfAll(provenance, 'admin'), permissionOfAll(provenance, 'get')]
    : [permissionOfAll(provenance, 'get')];
}

/** Returns whether a caller may call a provided method: as admin, by a role of its provenance, or by the single permission. */
export function mayCallProvided(
  { roles, permissions, sharedBy }: Pick<Rights, 'roles' | 'permissions'> & Pick<Caller, 'sharedBy'>,
  method: { provenance: string; name: string; isRead: boolean },
): boolean {
  if (sharedBy) return sharedBy.every((one) => mayCallProvided(one, method));
  return (
    roles.includes('admin') ||
    permissions.includes(permissionOfMethod(method)) ||
    permissions.includes(permissionOfAll(method.provenance, 'admin')) ||
    (method.isRead && permissions.includes(permissionOfAll(method.provenance, 'get')))
  );
}

/** Returns a caller with the common rights of an account and the account that confirmed its task. It acts as `account`. */
export function callerInCommon(account: Caller, confirmedBy: Caller): Caller {
  if (account.id === confirmedBy.id) return account;
  const inCommon = (name: 'roles' | 'permissions') => {
    if (account.roles.includes('admin')) return confirmedBy[name];
    if (confirmedBy.roles.includes('admin')) return account[name];
    return account[name].filter((one) => confirmedBy[name].includes(one));
  };
  return {
    ...account,
    roles: inCommon('roles'),
    permissions: inCommon('permissions'),
    groups: account.groups.filter((group) => confirmedBy.groups.includes(group)),
    sharedBy: [...callersIn(account), ...callersIn(confirmedBy)],
  };
}

/** Returns the accounts that an access list or policy must all admit: the caller, or those whose common rights it has. */
export const callersIn = <One extends { sharedBy?: readonly One[] }>(caller: One): readonly One[] =>
  caller.sharedBy ?? [caller];

/**
 * Returns whether a caller with these rights may call an endpoint: by one of its roles, or by the single permission.
 *
 * @param audience roles, of which one is sufficient; or `public`, `signed-in`
 * @param permission name of the permission for this endpoint alone
 */
export function mayCall(
  { roles, permissions, sharedBy }: Pick<Rights, 'roles' | 'permissions'> & Pick<Caller, 'sharedBy'>,
  audience: Audience | readonly string[],
  permission: string,
): boolean {
  if (audience === 'public' || audience === 'signed-in') return true;
  // Each account may have access by a different role.
  if (sharedBy) return sharedBy.every((one) => mayCall(one, audience, permission));
  return audience.some((role) => roles.includes(role)) || permissions.includes(permission);
}

/**
 * Returns whether a caller may read secrets in configurations: where an admin had them masked, only who may call the endpoint
 * that returns a backup with them (decision 0112).
 */
export const seesConfigurationSecrets = (caller: Caller): boolean =>
  !callersIn(caller).some(({ masksSecrets }) => masksSecrets) ||
  mayCall(caller, ['admin'], 'ConfigurationManager.getBackupWithSecrets');

/**
 * Returns the error message for callers without the rights for an endpoint, which names the roles that have them.
 *
 * @param audience roles, of which one is sufficient; or `public`, `signed-in`
 */
export const rolesNeeded = (audience: Audience | readonly string[]): string =>
  `Needs one of the roles: ${typeof audience === 'string' ? audience : audience.join(', ')}`;

/**
 * Returns the rights in `given` that the giver lacks: no user may grant, or take over, more than their own rights. Role
 * `admin` lacks nothing.
 *
 * @param audiences who may call each permission, so that a role covers its permissions
 * @returns names of roles and permissions, ids of groups; empty when the giver holds them all
 */
export function lackingOf(giver: Rights, given: Rights, audiences: ReadonlyMap<string, Audience>): string[] {
  if (giver.roles.includes('admin')) return [];
  const held = (permission: string) => mayCall(giver, audiences.get(permission) ?? NOBODY, permission);
  return [
    ...given.roles.filter((role) => !giver.roles.includes(role)),
    ...given.permissions.filter((permission) => !held(permission)),
    ...given.groups.filter((group) => !giver.groups.includes(group)),
  ];
}

/** The audience of a permission without an endpoint: only an admin may grant it. */
const NOBODY: Audience = ['admin'];

/**
 * Returns whether a role is one of the platform's own, which contract/endpoints#roles knows by name: a custom role
 * called `admin` must not become it.
 */
export const isSeeded = (role: { provenance: string }) => role.provenance === PLATFORM;

/** The provenance of everything that comes with the platform; no caller may claim it. */
export const PLATFORM = 'platform';

/** Provenances of accounts whose names are chosen here, and not by a directory. */
const OWN_PROVENANCES: ReadonlySet<string> = new Set(['local', 'Service Account', PLATFORM]);

/** A name by which the active profile may list admins; `isForeign`: a directory chose it, so an entry must name the provenance. */
type Holder = { name: string; provenance: string; isForeign?: boolean };

/** Returns whether an entry names this holder; the profile's author wrote the entries, so one may be no object. */
const isNamed = (holder: Holder, entry: AdminEntry | null) =>
  typeof entry === 'object' &&
  entry?.group === holder.name &&
  (entry.provenance === undefined ? !holder.isForeign : entry.provenance === holder.provenance);
