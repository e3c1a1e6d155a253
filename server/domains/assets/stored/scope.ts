/** The name format of a project's assets, `@<projectId>: Name` (contract/lifecycle#name-collision). */
const SCOPED = /^@([0-9a-fA-F]{24}): (.*)$/s;

/** Returns the name of an asset within a project; the prefix of another project is replaced. */
export const scopedName = (projectId: string | null, name: string): string =>
  projectId === null ? bareName(name) : `@${projectId}: ${bareName(name)}`;

/** Returns a name without the prefix of its project. */
export const bareName = (name: string): string => SCOPED.exec(name)?.[2] ?? name;

/** Returns the id of the project in the prefix of a name; null for a global name. */
export const projectOf = (name: string): string | null => SCOPED.exec(name)?.[1] ?? null;

/** Returns the `namespace` field of a project's assets (contract/resources#2.17, contract/lifecycle#0.7). */
export const namespaceOf = ({ _id, name }: { _id: string; name: string }) => ({
  type: 'project' as const,
  _id,
  name,
});

/** Returns the document as owned by this project, or as global, whatever its `namespace` was. */
export function ownedBy<Doc extends Record<string, unknown>>(
  namespace: ReturnType<typeof namespaceOf> | null,
  doc: Doc,
): Doc {
  const { namespace: _, ...rest } = doc;
  // Only the owner has changed.
  return (namespace ? { ...rest, namespace } : rest) as Doc;
}
