import type { Database } from '#db/client.ts';
import type { AccessList } from './gbac.ts';
import { lockExistingGroups } from './known-groups.service.ts';

type Document = { name: string; gbac?: AccessList | null | undefined };

/** An access list of an imported document with unknown groups. */
export type GroupWarning = {
  name: string;
  list: 'read' | 'write';
  unknown: string[];
  /** No group of the list exists: it is stored unchanged, so that only admins have access. */
  closed: boolean;
};

/**
 * Removes groups that do not exist from the access lists of an import. A list of which none would remain is kept: an empty
 * one would open the document to everybody (decision 0058). The groups that exist are locked until the transaction ends.
 *
 * @returns the documents in their order, the warnings about unknown groups, and both by the original document
 */
export async function withoutUnknownGroups<Doc extends Document>(
  db: Database,
  documents: readonly Doc[],
): Promise<{ documents: Doc[]; warnings: GroupWarning[]; of: ReadonlyMap<Doc, ImportedAccess<Doc>> }> {
  const known = await lockExistingGroups(
    db,
    documents.flatMap(({ gbac }) => [...(gbac?.read ?? []), ...(gbac?.write ?? [])]),
  );
  const kept = documents.map((document) => accessToKnownGroups(document, known));
  return {
    documents: kept.map(({ document }) => document),
    warnings: kept.flatMap(({ warnings }) => warnings),
    of: new Map(documents.map((document, at) => [document, kept[at] ?? { document, warnings: [] }])),
  };
}

type ImportedAccess<Doc> = { document: Doc; warnings: GroupWarning[] };

function accessToKnownGroups<Doc extends Document>(
  document: Doc,
  known: ReadonlySet<string>,
): ImportedAccess<Doc> {
  const { gbac, name } = document;
  if (!gbac) return { document, warnings: [] };
  const lists = { ...gbac };
  const warnings: GroupWarning[] = [];
  for (const list of ['read', 'write'] as const) {
    const unknown = (gbac[list] ?? []).filter((id) => !known.has(id));
    if (unknown.length === 0) continue;
    const rest = (gbac[list] ?? []).filter((id) => known.has(id));
    const closed = rest.length === 0;
    if (!closed) lists[list] = rest;
    warnings.push({ name, list, unknown, closed });
  }
  return { document: { ...document, gbac: lists }, warnings };
}

/** Returns the message of an import with the warnings about unknown groups in access lists. */
export function messageWithWarnings(message: string, warnings: readonly GroupWarning[]): string {
  const leftOut = warnings.filter(({ closed }) => !closed).flatMap(({ unknown }) => unknown);
  const closed = (list: GroupWarning['list']) =>
    warnings.filter((one) => one.closed && one.list === list).map(({ name }) => name);
  const sentences = [
    message.replace(/\.$/, ''),
    ...changeTexts('Removed from access lists because the groups do not exist', leftOut),
    ...changeTexts('Only admins may read because no group of the access list exists', closed('read')),
    ...changeTexts('Only admins may write because no group of the access list exists', closed('write')),
  ];
  return sentences.length === 1 ? message : `${sentences.join('. ')}.`;
}

/** Maximum number of groups or documents in one sentence. */
const NAMED = 5;

function changeTexts(what: string, names: readonly string[]): string[] {
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  const named = all
    .slice(0, NAMED)
    .map((name) => name.slice(0, 100))
    .join(', ');
  return [`${what}: ${named}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ''}`];
}
