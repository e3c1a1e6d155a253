import type { AccessControl, ProjectMember } from '#db/schemas/assets/project.ts';
import type { Issue } from '#server/kernel/errors.ts';

type Role = ProjectMember['role'];

/** The roles that have each right; each role includes those after it (contract/lifecycle#5.1). */
const RIGHTS: Record<keyof Pick<Rights, 'manage' | 'write' | 'execute' | 'read'>, readonly Role[]> = {
  manage: ['owner'],
  write: ['owner', 'editor'],
  execute: ['owner', 'editor', 'operator'],
  read: ['owner', 'editor', 'operator', 'viewer'],
};

type Rights = Required<Pick<AccessControl, 'read' | 'write' | 'execute' | 'manage'>>;

/** A right that a member may have in a project. */
export type Right = keyof typeof RIGHTS;

/** Returns the access control that follows from the members (contract/lifecycle#5.1). */
export function accessOf(members: readonly ProjectMember[]): Rights {
  const of = (right: Right) =>
    members
      .filter(({ role }) => RIGHTS[right].includes(role))
      .map(({ type, reference }) => `${type}:${reference}`);
  return { read: of('read'), write: of('write'), execute: of('execute'), manage: of('manage') };
}

/** Returns a member as stored; its name is looked up when it is read. */
export const storedMember = ({
  username: _u,
  name: _n,
  provenance: _p,
  missing: _m,
  ...member
}: ProjectMember): ProjectMember => member;

/** Returns whether two lists have the same members in the same roles, in any order. */
export const sameMembers = (one: readonly ProjectMember[], other: readonly ProjectMember[]): boolean => {
  const told = (members: readonly ProjectMember[]) =>
    JSON.stringify(members.map(({ type, reference, role }) => `${type} ${reference} ${role}`).sort());
  return told(one) === told(other);
};

/**
 * Returns why these cannot be the members of a project: no owner, duplicates, or members that do not exist.
 *
 * @param isKnown whether the account or group exists
 * @param wasMember whether it is a member already: one that was deleted meanwhile may stay
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
      return [{ path, message: `${type} ${reference} is listed as a member twice`, code: 'duplicate' }];
    seen.add(key);
    if (isKnown(member) || wasMember(member)) return [];
    return [{ path, message: `${type} ${reference} does not exist`, code: 'unknown_member' }];
  });
  if (!members.some((member) => member.role === 'owner' && isKnown(member))) {
    issues.push({
      path: ['members'],
      message: 'must have at least one owner that exists',
      code: 'no_owner',
    });
  }
  return issues;
}
