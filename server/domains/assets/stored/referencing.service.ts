import type { SourceKind } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { usersOf } from './references.service.ts';

/** Maximum number of documents in a response. */
const MOST = 1000;

/** Returns the documents that reference these assets and that the caller may see, each once (contract/lifecycle#5.1). */
export async function referencesTo(
  { db, principal }: ReadContext,
  kind: ComponentType,
  ids: readonly string[],
): Promise<{ type: SourceKind; _id: string; name: string }[]> {
  const targets = ids.map((id) => ({ kind, id }));
  const users = await usersOf(db, targets, [], principal, MOST);
  const once = new Map(users.map((user) => [`${user.kind} ${user.id}`, user]));
  return [...once.values()].map(({ kind: type, id, name }) => ({ type, _id: id, name }));
}
