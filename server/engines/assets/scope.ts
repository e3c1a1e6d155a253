/** `@<projectId>: Name`, as assets of a project are called (lifecycle §0.7). */
const SCOPED = /^@([0-9a-fA-F]{24}): (.*)$/s;

/** The name of an asset within a project; a name that already carries a project's prefix changes over to this one. */
export const scopedName = (projectId: string | null, name: string): string =>
  projectId === null ? bareName(name) : `@${projectId}: ${bareName(name)}`;

/** A name without the prefix of its project. */
export const bareName = (name: string): string => SCOPED.exec(name)?.[2] ?? name;

/** The project that a name says it belongs to; null for a global name. */
export const projectOf = (name: string): string | null => SCOPED.exec(name)?.[1] ?? null;
