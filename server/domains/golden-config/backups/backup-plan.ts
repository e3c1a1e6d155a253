import { isDeepStrictEqual } from 'node:util';
import type { BackupItem, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { keptStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issue, issuesIn } from '#server/kernel/validation/document-issues.ts';

/** A backup to store. */
export type NewBackup = {
  /** Where in the request it stands. */
  at: number;
  id: string;
  name: string;
  rawConfig: string;
  /** The members that were given and that make its content, its text apart. */
  content: Record<string, unknown>;
  /** The document, but for what only the text can tell. */
  doc: Omit<ListedBackup, 'sha256' | 'size'>;
};

/** An import, read: each backup once; `conflicting` are places whose id came before with other content. */
export type BackupPlan = {
  given: NewBackup[];
  made: NewBackup[];
  conflicting: PlacedBackup[];
  issues: Issue[];
};
type PlacedBackup = { at: number; id: string };

/** Indexes hold these texts, and a page of an index is 8 KiB. */
const LONGEST_NAME = 255;
const MI = 1024 * 1024;
/** Characters of a configuration: one that is longer would hold up all others of its run. */
const LONGEST_CONFIG = 64 * MI;
const LONGEST_DATE = 40;

/** Not content: ids, what is computed from the text, and when it was stored and seen again (docs/configuration.md). */
const BESIDE = new Set(['id', '_id', 'rawConfig', 'sha256', 'size', 'lastUpdated', 'lastSeen']);

/**
 * Read an import of backups: make ids where none is given, and meet the same backup twice as once (contract/endpoints#4.9).
 * Content is the text and every other member that is given, `gbac` and notes included; members that are not given ask
 * nothing.
 *
 * @param now also the date of a backup that brings none
 * @returns backups with an id of their own (`given`) and those that got one (`made`)
 */
export function planBackups(items: readonly BackupItem[], now: Date, newId: () => string): BackupPlan {
  const given = new Map<string, NewBackup>();
  const plan: BackupPlan = { given: [], made: [], conflicting: [], issues: [] };
  for (const [at, item] of items.entries()) {
    plan.issues.push(...itemIssues(item, at));
    const known = item.id ?? item._id;
    const first = known === undefined ? undefined : given.get(known);
    if (first) {
      if (!holds(first, item)) plan.conflicting.push({ at, id: first.id });
      continue;
    }
    const incoming = incomingOf(item, at, known ?? newId(), now);
    if (known === undefined) plan.made.push(incoming);
    else given.set(known, incoming);
  }
  return { ...plan, given: [...given.values()] };
}

function incomingOf(item: BackupItem, at: number, id: string, now: Date): NewBackup {
  const content = contentOf(item);
  const doc = {
    date: now.toISOString(),
    gbac: wholeGbac(undefined),
    ...content,
    ...(item.lastSeen !== undefined && { lastSeen: keptStamp(item.lastSeen, now) }),
    id,
    _id: id,
    name: item.name,
    lastUpdated: keptStamp(item.lastUpdated, now),
  };
  return { at, id, name: item.name, rawConfig: item.rawConfig, content, doc };
}

const contentOf = (item: BackupItem): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(item).filter(([name]) => !BESIDE.has(name))),
  ...(item.gbac && { gbac: wholeGbac(item.gbac) }),
});

/** Whether a backup is what an item says of it. */
const holds = ({ rawConfig, doc }: NewBackup, item: BackupItem): boolean =>
  rawConfig === item.rawConfig &&
  Object.entries(contentOf(item)).every(([name, value]) => isDeepStrictEqual(doc[name], value));

function itemIssues({ id, _id, name, date, gbac, rawConfig }: BackupItem, at: number): Issue[] {
  const path = ['backups', at];
  const issues = issuesIn(() => assertConsistent(gbac, [...path, 'gbac']));
  if (id !== undefined && _id !== undefined && id !== _id) {
    issues.push(issue([...path, '_id'], 'is not the id that stands beside it', 'ambiguous'));
  }
  if (name.length > LONGEST_NAME) {
    issues.push(issue([...path, 'name'], `must have at most ${LONGEST_NAME} characters`, 'too_big'));
  }
  if ((date?.length ?? 0) > LONGEST_DATE) {
    issues.push(issue([...path, 'date'], `must have at most ${LONGEST_DATE} characters`, 'too_big'));
  }
  if (rawConfig.length > LONGEST_CONFIG) {
    const message = `must have at most ${LONGEST_CONFIG / MI} MiB: no configuration of a device is longer`;
    issues.push(issue([...path, 'rawConfig'], message, 'too_big'));
  }
  return issues;
}
