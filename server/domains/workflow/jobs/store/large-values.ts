import { isObject } from '#server/kernel/json/objects.ts';

/**
 * Values of more than this are stored apart, and stand in the job as `{"$largeData": id, size}` (contract/lifecycle#6.3).
 */
export const LARGE = 1024 * 1024;

/** Where the value behind such a place comes from. */
export type Large = {
  /** The value itself; any other value is given back as it is. @throws LargeMissing when it has not been fetched; TooMuchRead */
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

/** Characters of values stored separately that one step, or one task, may read. */
const MOST_READ = 128 * 1024 * 1024;

/** What is read in place of a value that is stored separately, when too much was read before. */
export class TooMuchRead extends Error {
  constructor() {
    super(`The values over 1 MiB that are needed have more than ${MOST_READ} characters together`);
  }
}

/** Counts the characters of values that are read. @returns true until they are too many */
export type Allowance = (length: number) => boolean;
export function allowance(): Allowance {
  let left = MOST_READ;
  return (length) => {
    left -= length;
    return left >= 0;
  };
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
    const read = fetched.get(id);
    if (read instanceof TooMuchRead) throw read;
    return read;
  },
});

/** Every member with what is stored apart in its place. */
export const unpacked = (values: Record<string, unknown>, large: Large): Record<string, unknown> =>
  Object.values(values).some((value) => largeIdOf(value) !== null)
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, large.open(value)]))
    : values;
