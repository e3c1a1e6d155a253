import { isObject } from '#server/engines/workflows/variables.ts';

/** Values of more than this are stored apart, and stand in the job as `{"$largeData": id, size}` (lifecycle §6.3). */
export const LARGE = 1024 * 1024;

/** Where the value behind such a place comes from. */
export type Large = {
  /** The value itself; any other value is given back as it is. @throws LargeMissing when it has not been fetched */
  open: (value: unknown) => unknown;
};

/** A value that is stored apart is needed: what runs is pure, so it is fetched and all is done again. */
export class LargeMissing extends Error {
  readonly id: string;
  constructor(id: string) {
    super(`value ${id} is stored apart`);
    this.id = id;
  }
}

/** The id of a value that is stored apart; null for any other value. */
export const largeIdOf = (value: unknown): string | null =>
  isObject(value) && typeof value.$largeData === 'string' ? value.$largeData : null;

/** @param fetched values by id */
export const largeFrom = (fetched: ReadonlyMap<string, unknown>): Large => ({
  open: (value) => {
    const id = largeIdOf(value);
    if (id === null) return value;
    if (!fetched.has(id)) throw new LargeMissing(id);
    return fetched.get(id);
  },
});

/** Every member with what is stored apart in its place. */
export const unpacked = (values: Record<string, unknown>, large: Large): Record<string, unknown> =>
  Object.values(values).some((value) => largeIdOf(value) !== null)
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, large.open(value)]))
    : values;
