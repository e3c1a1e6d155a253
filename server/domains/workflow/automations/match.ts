import type { Trigger } from '#db/schemas/workflow/trigger.ts';

/** The fields that identify a trigger in an import. */
export type StoredTrigger = { id: string; name: string; type: Trigger['type'] };
type ImportedTrigger = { _id?: string | undefined; name: string; type: Trigger['type'] };

/**
 * Matches imported triggers with those of an automation that they replace: the one with the same id, name and type, else
 * one of the same name and type. Installing a package again, or a file whose ids were taken on its first import, must not
 * create triggers twice.
 *
 * @param known triggers that the automation has
 * @returns for each given trigger, in order, the id of the one it replaces; each is replaced at most once
 */
export function replacedBy(
  given: readonly ImportedTrigger[],
  known: readonly StoredTrigger[],
): (string | undefined)[] {
  const left = new Map(known.map((one) => [one.id, one]));
  const isAlike = (one: ImportedTrigger, other: StoredTrigger) =>
    one.name === other.name && one.type === other.type;
  const take = (id: string | undefined) => {
    if (id !== undefined) left.delete(id);
    return id;
  };
  const byId = given.map((one) => {
    const other = left.get(one._id ?? '');
    return take(other && isAlike(one, other) ? other.id : undefined);
  });
  return given.map((one, at) => {
    if (byId[at] !== undefined) return byId[at];
    return take([...left.values()].find((other) => isAlike(one, other))?.id);
  });
}
