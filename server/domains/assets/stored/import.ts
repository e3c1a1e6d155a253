import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { createNameAllocator } from '#server/kernel/documents/names.ts';
import type { Asset } from './kinds.ts';
import type { Reference } from './references.ts';
import { bareName, projectOf, scopedName } from './scope.ts';

/**
 * An asset to import; `reference` is the id by which others in the set name it, when its document has none. One with
 * `errors` is stored as a draft; those of workflows are derived.
 */
export type ImportItem = {
  kind: ComponentType;
  doc: Asset;
  reference?: string | undefined;
  errors?: readonly DraftError[] | undefined;
};

/** How to treat an asset whose name is taken: number it, store nothing, or replace the existing asset. */
export type OnTaken = 'rename' | 'reject' | 'overwrite';

/** The fields of an existing asset that an import needs; `group` is a template's. */
export type Existing = {
  kind: ComponentType;
  id: string;
  name: string;
  group: string | null;
  projectId: string | null;
};

/** The planned id, name and outcome of an asset. */
export type Planned = {
  item: ImportItem;
  /** The id in the document or the set; null when it had none. */
  fromId: string | null;
  id: string;
  name: string;
  outcome: 'created' | 'renamed' | 'overwritten';
};

type Rules = {
  projectId: string | null;
  onTaken: OnTaken;
  /** Whether the ids in the documents are replaced (assignNewReferences, contract/lifecycle#5.1). */
  newIds: boolean;
  makeId: (kind: ComponentType) => string;
};

const OBJECT_ID = /^[0-9a-fA-F]{24}$/;
const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Returns the key of a name: names are unique per kind, those of templates per group. */
const nameKey = (kind: ComponentType, name: string, group: unknown) =>
  kind === 'template' ? JSON.stringify([kind, group, name]) : JSON.stringify([kind, name]);

/** Returns the original id of an asset: the `reference` from its set, else the id in its document. */
export function idOf({ kind, doc, reference }: ImportItem): string | null {
  const given = [reference, ...DOCUMENT_KINDS[kind].idFields.map((field) => doc[field])];
  const id = given.find((one) => typeof one === 'string' && one !== '');
  return typeof id === 'string' ? id : null;
}

/** Returns the id if it can be kept: 24 hexadecimal characters, or, for workflows, a UUID as well. */
function keepable({ kind, doc, reference }: ImportItem): string | null {
  const given = idOf({ kind, doc, reference });
  if (given === null) return null;
  return OBJECT_ID.test(given) || (kind === 'workflow' && UUID.test(given)) ? given : null;
}

/** Returns the ids and names, with the prefix of the project, that an import would use. */
export const wishes = (items: readonly ImportItem[], projectId: string | null) => ({
  ids: items.flatMap((item) => idOf(item) ?? []),
  names: items.map(({ doc }) => scopedName(projectId, doc.name)),
});

/**
 * Plans the id, name and outcome of each asset. Ids are kept when they are free (contract/lifecycle#ids).
 *
 * @param existing assets of the same kinds with one of the wanted ids or names, numbered forms included
 * @returns `taken` holds the indexes of the assets that cannot be stored because their name is taken
 */
export function planImport(
  items: readonly ImportItem[],
  existing: readonly Existing[],
  { projectId, onTaken, newIds, makeId }: Rules,
): { planned: Planned[]; taken: number[] } {
  const byId = new Map(existing.map((one) => [`${one.kind} ${one.id}`, one]));
  const byName = new Map(existing.map((one) => [nameKey(one.kind, one.name, one.group), one]));
  const ids = new Set(byId.keys());
  const names = new Set(byName.keys());
  const replaced = new Set<Existing>();
  const allocateName = createNameAllocator(names);
  const planned: Planned[] = [];
  const taken: number[] = [];

  for (const [at, item] of items.entries()) {
    const { kind, doc } = item;
    const fromId = idOf(item);
    const wanted = scopedName(projectId, doc.name);
    const key = (name: string) => nameKey(kind, name, doc.group);
    const other = replacedBy(item, key(wanted));
    if (other) replaced.add(other);
    // The replaced asset frees its name.
    if (other) names.delete(nameKey(kind, other.name, other.group));
    const isTaken = names.has(key(wanted));
    if (isTaken && (onTaken === 'reject' || (onTaken === 'overwrite' && !other))) taken.push(at);
    const name = allocateName(wanted, key);
    const id = DOCUMENT_KINDS[kind].namedById ? name : (other?.id ?? freeId(item));
    ids.add(`${kind} ${id}`);
    const outcome = other ? 'overwritten' : name === wanted ? 'created' : 'renamed';
    planned.push({ item, fromId, id, name, outcome });
  }
  return { planned, taken };

  function replacedBy(item: ImportItem, key: string): Existing | undefined {
    if (onTaken !== 'overwrite') return undefined;
    const candidates = [byId.get(`${item.kind} ${keepable(item)}`), byName.get(key)];
    return candidates.find((one) => one?.projectId === projectId && !replaced.has(one));
  }

  function freeId(item: ImportItem): string {
    const given = newIds ? null : keepable(item);
    return given !== null && !ids.has(`${item.kind} ${given}`) ? given : makeId(item.kind);
  }
}

/**
 * Returns a function that maps references to an asset of the set to its new id or name.
 *
 * @param from the project that the set was exported from: its names began with it, even if the documents no longer say so
 */
export function renamesOf(
  planned: readonly Planned[],
  projectId: string | null,
  from: string | null,
): (reference: Reference) => string | undefined {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const first = (map: Map<string, string>, key: string, value: string) => {
    if (!map.has(key)) map.set(key, value);
  };
  for (const { item, fromId, id, name } of planned) {
    const { kind, doc, reference } = item;
    for (const old of [fromId, ...DOCUMENT_KINDS[kind].idFields.map((field) => doc[field])]) {
      if (typeof old === 'string') first(ids, `${kind} ${old}`, id);
    }
    const full = from !== null && projectOf(doc.name) === null ? scopedName(from, doc.name) : doc.name;
    for (const old of [full, ...(DOCUMENT_KINDS[kind].namedById && reference ? [reference] : [])]) {
      first(names, `${kind} ${old}`, name);
      if (projectOf(old) !== null) first(names, `any ${old}`, name);
    }
  }
  return ({ kind, by, value }) => {
    const id = kind !== null && by !== 'name' ? ids.get(`${kind} ${value}`) : undefined;
    const name = by !== 'id' ? names.get(`${kind ?? 'any'} ${value}`) : undefined;
    const found = id ?? name;
    if (found !== undefined) return found;
    // The project's own names move with it, even if no asset of the set has them.
    const isOwn = from !== null && projectId !== null && projectOf(value) === from;
    return isOwn ? scopedName(projectId, bareName(value)) : undefined;
  };
}
