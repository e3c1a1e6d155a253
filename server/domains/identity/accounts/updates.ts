/** Members that clients send back as they read them: a PATCH leaves them alone and says so (contract/lifecycle#0.2.7). */
const READ_ONLY = /^(_id|_meta|created.*|lastUpdated.*)$/;

type DefinedFields<Updates> = { [Member in keyof Updates]?: Exclude<Updates[Member], undefined> };

/** What a PATCH changes, and what of it was left alone. */
export function readUpdates<Updates extends object>(
  updates: Updates,
): { given: DefinedFields<Updates>; ignored: string[] } {
  const entries = Object.entries(updates).filter(([, value]) => value !== undefined);
  const ignored = entries.map(([name]) => name).filter((name) => READ_ONLY.test(name));
  // Only members were left out that the type does not speak of.
  const given = Object.fromEntries(
    entries.filter(([name]) => !READ_ONLY.test(name)),
  ) as DefinedFields<Updates>;
  return { given, ignored };
}

/** How a PATCH's answer tells what it left alone; nothing where there is nothing to tell. */
export const ignoredOf = (ignored: readonly string[]) =>
  ignored.length > 0 ? { metadata: { ignored: [...ignored] } } : {};

type Meta = { created?: string | undefined; updated?: string | undefined };

/** The dates of a document that is written now: later than its last write, even within one millisecond. */
export function grown<Stamps extends Meta>(
  meta: Stamps | undefined,
  now: Date,
): Stamps & { updated: string } {
  const last = Date.parse(meta?.updated ?? '');
  const updated = new Date(Number.isNaN(last) ? now : Math.max(now.getTime(), last + 1)).toISOString();
  // Without dates there was no type to keep.
  return { ...(meta as Stamps), updated };
}

/** The dates of a document that is new. */
export const newStamps = (now: Date) => ({ created: now.toISOString(), updated: now.toISOString() });
