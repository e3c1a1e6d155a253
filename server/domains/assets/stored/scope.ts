/** `@<projectId>: Name`, as assets of a project are called (contract/lifecycle#name-collision). */
const SCOPED = /^@([0-9a-fA-F]{24}): (.*)$/s;

/** The name of an asset within a project; a name that already carries a project's prefix changes over to this one. */
export const scopedName = (projectId: string | null, name: string): string =>
  projectId === null ? bareName(name) : `@${projectId}: ${bareName(name)}`;

/** A name without the prefix of its project. */
export const bareName = (name: string): string => SCOPED.exec(name)?.[2] ?? name;

/** The project that a name says it belongs to; null for a global name. */
export const projectOf = (name: string): string | null => SCOPED.exec(name)?.[1] ?? null;

/** What the documents of a project's assets say of their owner (contract/resources#2.17, contract/lifecycle#0.7). */
export const namespaceOf = ({ _id, name }: { _id: string; name: string }) => ({
  type: 'project' as const,
  _id,
  name,
});

/** The document as one of this project, or as a global one, whatever it said of its owner before. */
export function ownedBy<Doc extends Record<string, unknown>>(
  namespace: ReturnType<typeof namespaceOf> | null,
  doc: Doc,
): Doc {
  const { namespace: _, ...rest } = doc;
  // Its owner is all that changed.
  return (namespace ? { ...rest, namespace } : rest) as Doc;
}
