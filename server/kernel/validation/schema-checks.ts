import { type CalculationLimit, calculateOr } from '../calculations/calculation-pool.ts';
import { latest } from '../calculations/latest.ts';
import { isCheapToCheck, isCheapToCompile } from '../calculations/schema-cost.ts';
import type { SchemaCheck, SchemaCheckResult } from '../calculations/schema-in-thread.ts';
import type { Issue } from '../errors.ts';
import { type Check, compileSchema, LONGEST_SCHEMA, SchemaError, SchemaTooCostly } from './json-schema.ts';

type Schema = object | boolean;

/**
 * Limits of a schema check (docs/operations.md, "Limits"): a user waits for a request, other triggers wait for events,
 * a task has time.
 */
export const SCHEMA_LIMITS = {
  request: { ms: 250, waiting: 50 },
  events: { ms: 1000, waiting: 100_000 },
  task: { ms: 5000, waiting: 100_000 },
} satisfies Readonly<Record<string, CalculationLimit>>;

/** Most characters of the schemas whose compiled form is cached in this thread; each is small. */
const MOST_KEPT = 1024 * 1024;
/** Longer schemas are left to a thread, in characters. */
const LONGEST_HERE = 32 * 1024;

const compiledHere = latest<Check>(MOST_KEPT);

/**
 * Checks values against a JSON schema that a user wrote: in this thread when that is certain to be quick, else in a
 * pool thread.
 *
 * @returns every issue of each value, in the order of the values
 * @throws SchemaError when the schema cannot be used; SchemaTooCostly when checking exceeds the limit
 */
export async function checkAllBySchema(
  schema: Schema,
  values: readonly unknown[],
  limit: CalculationLimit,
): Promise<Issue[][]> {
  const text = textOf(schema);
  if (values.every((value) => isCheap(schema, text, value))) {
    const check = compiledHere(text, () => compileSchema(schema));
    return values.map((value) => check(value));
  }
  return checkInThread({ schema: text, values: values.map((value) => JSON.stringify(value ?? null)) }, limit);
}

/**
 * Checks one value.
 *
 * @param value any JSON value
 * @returns every issue of the value; empty for a valid one
 * @throws SchemaError, SchemaTooCostly as checkAllBySchema
 */
export async function checkBySchema(
  schema: Schema,
  value: unknown,
  limit: CalculationLimit,
): Promise<Issue[]> {
  const [issues = []] = await checkAllBySchema(schema, [value], limit);
  return issues;
}

/**
 * Checks a value in this thread, if that is certain to be quick.
 *
 * @returns null when it is not certain
 * @throws SchemaError
 */
export function checkAtOnce(schema: Schema, value: unknown): Issue[] | null {
  const text = textOf(schema);
  return isCheap(schema, text, value) ? compiledHere(text, () => compileSchema(schema))(value) : null;
}

/** Verifies that a schema can be used at all. @throws SchemaError */
export async function assertUsable(schema: Schema, limit: CalculationLimit): Promise<void> {
  const text = textOf(schema);
  if (text.length <= LONGEST_HERE && isCheapToCompile(schema)) {
    compiledHere(text, () => compileSchema(schema));
    return;
  }
  await checkInThread({ schema: text, values: [] }, limit);
}

/** @throws SchemaError for a schema that is too long */
function textOf(schema: Schema): string {
  const text = JSON.stringify(schema);
  if (text.length <= LONGEST_SCHEMA) return text;
  throw new SchemaError(`must have at most ${LONGEST_SCHEMA} characters`);
}

const isCheap = (schema: Schema, text: string, value: unknown): boolean =>
  text.length <= LONGEST_HERE && isCheapToCheck(schema, value);

async function checkInThread(check: SchemaCheck, limit: CalculationLimit): Promise<Issue[][]> {
  const rejected = (reason: string) => {
    throw new SchemaTooCostly(`validation against it ${reason}`);
  };
  const checked = await calculateOr<SchemaCheckResult>('schema', check, rejected, limit);
  if ('rejected' in checked) throw new SchemaError(checked.rejected);
  return checked.issues;
}
