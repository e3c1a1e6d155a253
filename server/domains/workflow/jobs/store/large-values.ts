import { isObject } from '#server/kernel/json/objects.ts';

/**
 * Characters above which a value is stored separately; the job holds `{"$largeData": id, size}` (contract/lifecycle#6.3).
 */
export const LARGE = 1024 * 1024;

/** Access to values that are stored separately. */
export type Large = {
  /** Returns the value of a mark, any other value unchanged. @throws LargeMissing when it was not fetched; TooMuchRead */
  open: (value: unknown) => unknown;
};

/** Signals that a separately stored value is needed: it is fetched, and the pure function that needs it runs again. */
export class LargeMissing extends Error {
  readonly id: string;
  constructor(id: string) {
    super(`value ${id} is stored separately`);
    this.id = id;
  }
}

/** Maximum number of characters of separately stored values that one step, or one task, may read. */
const MOST_READ = 128 * 1024 * 1024;

/** Error that replaces a separately stored value when too much was read before. */
export class TooMuchRead extends Error {
  constructor() {
    super(`The values over 1 MiB that are needed have more than ${MOST_READ} characters together`);
  }
}

/** Counts the characters of values that are read. @returns true until the limit is exceeded */
export type Allowance = (length: number) => boolean;

/** Returns an unused allowance for the large values of one transition. */
export function allowance(): Allowance {
  let left = MOST_READ;
  return (length) => {
    left -= length;
    return left >= 0;
  };
}

/** Returns the id of a value that is stored separately; null for any other value. */
export const largeIdOf = (value: unknown): string | null =>
  isObject(value) && typeof value.$largeData === 'string' ? value.$largeData : null;

/** Returns access to the large values of a job that were fetched. @param fetched values by id */
export const largeFrom = (fetched: ReadonlyMap<string, unknown>): Large => ({
  open: (value) => {
    const id = largeIdOf(value);
    if (id === null) return value;
    if (!fetched.has(id)) throw new LargeMissing(id);
    const read = fetched.get(id);
    if (read instanceof TooMuchRead) throw read;
    return read;
  },
});

/** Returns the values with each separately stored one filled in. */
export const unpacked = (values: Record<string, unknown>, large: Large): Record<string, unknown> =>
  Object.values(values).some((value) => largeIdOf(value) !== null)
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, large.open(value)]))
    : values;
