/** Longest name of an operation: it is part of an index. */
export const LONGEST_NAME = 400;

type Named = { operationId: unknown; method: string; path: string };

/**
 * Returns the name of each operation, in order: its `operationId`, else one made of method and path. The first of
 * several operations with one name keeps it, the next ones end in `_2`, `_3` and so on; names made here never take an
 * `operationId`.
 */
export function namesOf(operations: readonly Named[]): string[] {
  const taken = new Set<string>();
  const names = operations.map(({ operationId }) =>
    isName(operationId) ? freeName(operationId, taken) : undefined,
  );
  return operations.map(({ method, path }, at) => names[at] ?? freeName(madeName(method, path), taken));
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const madeName = (method: string, path: string) =>
  `${method.toLowerCase()}_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}`.slice(0, LONGEST_NAME - 10);

/** Returns the name, or the name with the first free number; it is taken from then on. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  taken.add(name);
  return name;
}
