import { isDeepStrictEqual } from 'node:util';
import type { BackupItem, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { importedStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issue, issuesIn } from '#server/kernel/validation/document-issues.ts';

/** A backup to store. */
export type NewBackup = {
  /** Its index in the request. */
  at: number;
  id: string;
  name: string;
  rawConfig: string;
  /** SHA-256 of the text, hexadecimal. */
  sha256: string;
  /** Length of the text in bytes of UTF-8. */
  size: number;
  /** The fields that the request sets, without the text, which is stored separately. */
  content: Record<string, unknown>;
  /** The document without the fields that are computed from the text. */
  doc: Omit<ListedBackup, 'sha256' | 'size'>;
};

/**
 * A parsed import: each backup once; `conflicting` are the items whose id appears earlier in the request with other
 * content.
 */
export type BackupPlan = {
  given: NewBackup[];
  made: NewBackup[];
  conflicting: PlacedBackup[];
  issues: Issue[];
};
type PlacedBackup = { at: number; id: string };

/** Longest name in characters: indexes hold names, and an index page is 8 KiB. */
const LONGEST_NAME = 255;
const MI = 1024 * 1024;
/** Longest configuration in characters: a longer one would delay all others of its run. */
const LONGEST_CONFIG = 64 * MI;
const LONGEST_DATE = 40;

/**
 * Fields that are not content: ids, values computed from the text, and the times when it was stored and last seen
 * (docs/configuration.md).
 */
const NOT_COMPARED = new Set(['id', '_id', 'rawConfig', 'sha256', 'size', 'lastUpdated', 'lastSeen']);

/**
 * Returns a function that plans an import of backups, a piece of them at a time: creates missing ids and merges repetitions
 * of the same backup, in all pieces (contract/endpoints#4.9). Content is the text and every other field of the item,
 * including `gbac` and notes; fields that are missing are not compared.
 *
 * @param now also the date of a backup without one
 * @param sha256Of returns the SHA-256 of a text, hexadecimal
 * @returns backups with an id of their own (`given`) and those with a new id (`made`)
 */
export function backupPlanner(
  now: Date,
  newId: () => string,
  sha256Of: (text: string) => string,
): (items: readonly BackupItem[]) => BackupPlan {
  const known = new Map<string, Remembered>();
  let at = 0;
  return (items) => {
    const plan: BackupPlan = { given: [], made: [], conflicting: [], issues: [] };
    for (const item of items) {
      plan.issues.push(...itemIssues(item, at));
      const id = item.id ?? item._id;
      const sha256 = sha256Of(item.rawConfig);
      const incoming = incomingOf(item, { at, id: id ?? newId(), sha256 }, now);
      const first = id === undefined ? undefined : known.get(id);
      if (first && !holds(first, incoming)) plan.conflicting.push({ at, id: incoming.id });
      if (id === undefined) plan.made.push(incoming);
      else if (!first) {
        plan.given.push(incoming);
        known.set(id, { doc: incoming.doc, sha256 });
      }
      at += 1;
    }
    return plan;
  };
}

/** The part of a backup with which a repetition is compared: its document, and the hash of its text. */
type Remembered = Pick<NewBackup, 'doc' | 'sha256'>;

function incomingOf(item: BackupItem, made: Pick<NewBackup, 'at' | 'id' | 'sha256'>, now: Date): NewBackup {
  const { id } = made;
  const content = contentOf(item);
  const doc = {
    date: now.toISOString(),
    gbac: wholeGbac(undefined),
    ...content,
    ...(item.lastSeen !== undefined && { lastSeen: importedStamp(item.lastSeen, now) }),
    id,
    _id: id,
    name: item.name,
    lastUpdated: importedStamp(item.lastUpdated, now),
  };
  const { name, rawConfig } = item;
  return { ...made, name, rawConfig, size: Buffer.byteLength(rawConfig), content, doc };
}

const contentOf = (item: BackupItem): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(item).filter(([name]) => !NOT_COMPARED.has(name))),
  ...(item.gbac && { gbac: wholeGbac(item.gbac) }),
});

/** Returns whether a backup has the content of another one. */
const holds = ({ doc, sha256 }: Remembered, other: NewBackup): boolean =>
  sha256 === other.sha256 &&
  Object.entries(other.content).every(([name, value]) => isDeepStrictEqual(doc[name], value));

function itemIssues({ id, _id, name, date, gbac, rawConfig }: BackupItem, at: number): Issue[] {
  const path = ['backups', at];
  const issues = issuesIn(() => assertConsistent(gbac, [...path, 'gbac']));
  if (id !== undefined && _id !== undefined && id !== _id) {
    issues.push(issue([...path, '_id'], 'differs from id: send one of them', 'ambiguous'));
  }
  if (name.length > LONGEST_NAME) {
    issues.push(issue([...path, 'name'], `must have at most ${LONGEST_NAME} characters`, 'too_big'));
  }
  if ((date?.length ?? 0) > LONGEST_DATE) {
    issues.push(issue([...path, 'date'], `must have at most ${LONGEST_DATE} characters`, 'too_big'));
  }
  if (rawConfig.length > LONGEST_CONFIG) {
    const message = `must be at most ${LONGEST_CONFIG / MI} MiB: no device has a longer configuration`;
    issues.push(issue([...path, 'rawConfig'], message, 'too_big'));
  }
  return issues;
}
