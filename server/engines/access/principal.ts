/** Who is calling: an account with its roles and groups, inherited ones included (lifecycle §3). */
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
};

/** What the database knows of an account that decides what it may do. */
export type Standing = {
  id: string;
  username: string;
  provenance: string;
  groups: { id: string; name: string; provenance: string }[];
  roles: { name: string; provenance: string; allowedMethods?: { name: string; provenance: string }[] }[];
};

/** An entry of the active profile's `authenticationProps.admins`: an account or group, by name and provenance. */
export type AdminEntry = { provenance?: string | undefined; group?: string | undefined };

/**
 * Derive a caller's rights: the roles assigned to it and its groups, the single permissions of custom roles, and
 * `admin` where the active profile names the account or one of its groups (decisions §3).
 */
export function callerOf(standing: Standing, admins: readonly AdminEntry[], session: string | null): Caller {
  const roles = new Set(standing.roles.filter(isSeeded).map((role) => role.name));
  const holders = [{ name: standing.username, provenance: standing.provenance }, ...standing.groups];
  if (admins.some((entry) => holders.some((holder) => isNamed(holder, entry)))) roles.add('admin');
  const permissions = standing.roles
    .filter((role) => !isSeeded(role))
    .flatMap((role) => role.allowedMethods ?? [])
    .map((method) => `${method.provenance}.${method.name}`);
  return {
    id: standing.id,
    username: standing.username,
    provenance: standing.provenance,
    roles: [...roles],
    groups: standing.groups.map((group) => group.id),
    permissions: [...new Set(permissions)],
    session,
  };
}

/** Only the platform's own roles are known by name in §5's table: a custom role called `admin` must not become it. */
const isSeeded = (role: { provenance: string }) => role.provenance === 'platform';

const isNamed = (holder: { name: string; provenance: string }, entry: AdminEntry) =>
  entry.group === holder.name && (entry.provenance === undefined || entry.provenance === holder.provenance);
