import type { AccessControl, ProjectMember } from '#db/schemas/assets/project.ts';
import type { Issue } from '#server/kernel/errors.ts';

type Role = ProjectMember['role'];

/** Each role includes those after it (contract/lifecycle#5.1). */
const RIGHTS: Record<keyof Pick<Rights, 'manage' | 'write' | 'execute' | 'read'>, readonly Role[]> = {
  manage: ['owner'],
  write: ['owner', 'editor'],
  execute: ['owner', 'editor', 'operator'],
  read: ['owner', 'editor', 'operator', 'viewer'],
};

type Rights = Required<Pick<AccessControl, 'read' | 'write' | 'execute' | 'manage'>>;

/** What a member may do with a project. */
export type Right = keyof typeof RIGHTS;

/** Who may do what, as the members say (contract/lifecycle#5.1). */
export function accessOf(members: readonly ProjectMember[]): Rights {
  const of = (right: Right) =>
    members
      .filter(({ role }) => RIGHTS[right].includes(role))
      .map(({ type, reference }) => `${type}:${reference}`);
  return { read: of('read'), write: of('write'), execute: of('execute'), manage: of('manage') };
}

/** A member as it is stored: who it is is looked up when it is read. */
export const storedMember = ({
  username: _u,
  name: _n,
  provenance: _p,
  missing: _m,
  ...member
}: ProjectMember): ProjectMember => member;

/** Whether two lists name the same members in the same roles, in whatever order. */
export const sameMembers = (one: readonly ProjectMember[], other: readonly ProjectMember[]): boolean => {
  const told = (members: readonly ProjectMember[]) =>
    JSON.stringify(members.map(({ type, reference, role }) => `${type} ${reference} ${role}`).sort());
  return told(one) === told(other);
};

/**
 * What keeps these from being the members of a project: nobody who owns it, or somebody twice.
 *
 * @param isKnown whether the account or group is there
 * @param wasMember whether it takes part already: one that is gone meanwhile may stay
 */
export function memberIssues(
  members: readonly ProjectMember[],
  isKnown: (member: ProjectMember) => boolean,
  wasMember: (member: ProjectMember) => boolean,
): Issue[] {
  const seen = new Set<string>();
  const issues = members.flatMap((member, at): Issue[] => {
    const { type, reference } = member;
    const key = `${type} ${reference}`;
    const path = ['members', at, 'reference'];
    if (seen.has(key))
      return [{ path, message: `${type} ${reference} is a member twice`, code: 'duplicate' }];
    seen.add(key);
    if (isKnown(member) || wasMember(member)) return [];
    return [{ path, message: `there is no ${type} ${reference}`, code: 'unknown_member' }];
  });
  if (!members.some((member) => member.role === 'owner' && isKnown(member))) {
    issues.push({
      path: ['members'],
      message: 'must hold at least one owner who is there',
      code: 'no_owner',
    });
  }
  return issues;
}
