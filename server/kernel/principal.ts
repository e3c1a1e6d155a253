import type { Audience } from './roles.ts';

/** Who is calling: an account with its roles and groups, inherited ones included (contract/lifecycle#3). */
export type Caller = {
  id: string;
  username: string;
  provenance: string;
  roles: readonly string[];
  groups: readonly string[];
  /** Permissions `Area.method` that custom roles add. */
  permissions: readonly string[];
  /** The hash of the session's token; null for Basic and OAuth callers. */
  session: string | null;
  /** The personal token that was presented; its roles have narrowed those above already. */
  token?: PresentedToken;
  /**
   * The accounts whose common rights these are, where a task runs for one account and was confirmed by another: an access
   * list, membership or policy must let each of them in. Absent: the caller is one account (`callersIn`).
   */
  sharedBy?: readonly Caller[];
};

/** A personal token, as far as it decides what its bearer may do. */
type PresentedToken = {
  id: string;
  readOnly: boolean;
  /** Names of the roles that it may use, whether the account holds them now or not. */
  roles: readonly string[];
  /** The account holds more now than the token may use. */
  isNarrower: boolean;
};

/** Names of the roles that count, by the id of an account, where it started or confirmed work by a personal token. */
export type TokenRoles = Readonly<Record<string, readonly string[]>>;

/** Returns the roles that count for work which a caller starts; undefined: all that its account holds. */
export const tokenRolesOf = ({ id, token }: Pick<Caller, 'id' | 'token'>): TokenRoles | undefined =>
  token && { [id]: token.roles };

/** What the database knows of an account that decides what it may do. */
export type Standing = {
  id: string;
  username: string;
  firstname: string;
  provenance: string;
  groups: { id: string; name: string; provenance: string }[];
  roles: HeldRole[];
};

/** A role as it is held; members that nobody wrote are missing. */
export type HeldRole = {
  _id: string;
  name: string;
  provenance: string;
  allowedMethods?: { name: string; provenance: string }[];
  allowedViews?: { path: string; provenance: string }[];
};

/** An entry of the active profile's `authenticationProps.admins`: an account or group, by name and provenance. */
export type AdminEntry = { provenance?: string | undefined; group?: string | undefined };

/** What rights come down to: role names, single permissions, and the groups that documents name. */
export type Rights = Pick<Caller, 'roles' | 'groups' | 'permissions'>;

/**
 * Derive a caller's rights: the roles assigned to it and its groups, the single permissions of custom roles, and
 * `admin` where the active profile names the account or one of its groups (contract/decisions#3).
 */
export function callerOf(standing: Standing, admins: readonly AdminEntry[], session: string | null): Caller {
  const holders = [{ name: standing.username, provenance: standing.provenance }, ...standing.groups];
  return {
    id: standing.id,
    username: standing.username,
    provenance: standing.provenance,
    ...rightsOf(standing.roles, standing.groups, holders, admins),
    session,
  };
}

/**
 * Permissions that come with another one: whoever may approve a proposal may read what he approves
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

/** The rights that these roles and groups give to `holders`, the names by which the active profile may know them. */
export function rightsOf(
  held: readonly HeldRole[],
  groups: readonly { id: string }[],
  holders: readonly { name: string; provenance: string }[],
  admins: readonly AdminEntry[],
): Rights {
  const roles = new Set(held.filter(isSeeded).map((role) => role.name));
  if (admins.some((entry) => holders.some((holder) => isNamed(holder, entry)))) roles.add('admin');
  const permissions = held
    .filter((role) => !isSeeded(role))
    .flatMap((role) => role.allowedMethods ?? [])
    .map((method) => `${method.provenance}.${method.name}`)
    .flatMap((permission) => [permission, ...(IMPLIED.get(permission) ?? [])]);
  return {
    roles: [...roles],
    groups: groups.map((group) => group.id),
    permissions: [...new Set(permissions)],
  };
}

/**
 * Returns a caller with the rights that an account and the account that confirmed its task both have. It acts as `account`.
 */
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

/** The accounts that an access list or a policy must all let in: the caller itself, or those whose common rights it has. */
export const callersIn = <One extends { sharedBy?: readonly One[] }>(caller: One): readonly One[] =>
  caller.sharedBy ?? [caller];

/** Whether someone with these rights may call an endpoint: by one of its roles, or by the single permission. */
export function mayCall(
  { roles, permissions, sharedBy }: Pick<Rights, 'roles' | 'permissions'> & Pick<Caller, 'sharedBy'>,
  audience: Audience | readonly string[],
  permission: string,
): boolean {
  if (audience === 'public' || audience === 'signed-in') return true;
  // Each may call it by another role.
  if (sharedBy) return sharedBy.every((one) => mayCall(one, audience, permission));
  return audience.some((role) => roles.includes(role)) || permissions.includes(permission);
}

/** Returns what callers without the rights for an endpoint are told. */
export const rolesNeeded = (audience: Audience): string =>
  `Needs one of the roles: ${typeof audience === 'string' ? audience : audience.join(', ')}`;

/**
 * What of `given` the giver does not hold: nobody may hand out, or take over, more than his own rights. Role `admin`
 * lacks nothing.
 *
 * @param audiences who may call each permission, so that a role covers the permissions that it stands for
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

/** A permission whose endpoint is gone gives nothing; only an admin may still hand it out. */
const NOBODY: Audience = ['admin'];

/**
 * Only the platform's own roles are known by name in the table of contract/endpoints#roles: a custom role called `admin`
 * must not become it.
 */
export const isSeeded = (role: { provenance: string }) => role.provenance === PLATFORM;

/** The provenance of what comes with the platform; no caller may claim it. */
export const PLATFORM = 'platform';

/** The profile's author wrote the entries: what is no object names nobody. */
const isNamed = (holder: { name: string; provenance: string }, entry: AdminEntry | null) =>
  typeof entry === 'object' &&
  entry?.group === holder.name &&
  (entry.provenance === undefined || entry.provenance === holder.provenance);
