/** Read-only fields that clients send back: a PATCH ignores them and reports that (contract/lifecycle#0.2.7). */
const READ_ONLY = /^(_id|_meta|created.*|lastUpdated.*)$/;

type DefinedFields<Updates> = { [Member in keyof Updates]?: Exclude<Updates[Member], undefined> };

/** Returns the fields that a PATCH changes, and the names of the ignored ones. */
export function readUpdates<Updates extends object>(
  updates: Updates,
): { given: DefinedFields<Updates>; ignored: string[] } {
  const entries = Object.entries(updates).filter(([, value]) => value !== undefined);
  const ignored = entries.map(([name]) => name).filter((name) => READ_ONLY.test(name));
  // Only fields that the type does not define were removed.
  const given = Object.fromEntries(
    entries.filter(([name]) => !READ_ONLY.test(name)),
  ) as DefinedFields<Updates>;
  return { given, ignored };
}

/** Returns the metadata of a PATCH response that lists the ignored fields; empty when there are none. */
export const ignoredOf = (ignored: readonly string[]) =>
  ignored.length > 0 ? { metadata: { ignored: [...ignored] } } : {};

type Meta = { created?: string | undefined; updated?: string | undefined };

/** Returns the dates of a document that is written now: later than its last write, even within one millisecond. */
export function nextStamps<Stamps extends Meta>(
  meta: Stamps | undefined,
  now: Date,
): Stamps & { updated: string } {
  const last = Date.parse(meta?.updated ?? '');
  const updated = new Date(Number.isNaN(last) ? now : Math.max(now.getTime(), last + 1)).toISOString();
  // Without dates there was no type to keep.
  return { ...(meta as Stamps), updated };
}

/** Returns the dates of a new document. */
export const newStamps = (now: Date) => ({ created: now.toISOString(), updated: now.toISOString() });
