import type { Issue } from '../errors.ts';
import { type Check, compileSchema, SchemaRefused } from '../validation/json-schema.ts';
import { latest } from './latest.ts';

/** A schema and the values to hold against it, as JSON: a text is sent faster than what it says. */
export type SchemaCheck = { schema: string; values: readonly string[] };

/** The faults of each value in their order, or why the schema cannot be used. */
export type SchemaCheckResult = { issues: Issue[][] } | { refused: string };

/** Characters of the schemas whose compiled form is kept. */
const MOST_KEPT = 2 * 1024 * 1024;

const compiled = latest<Check>(MOST_KEPT);

export function checkSchemaText({ schema, values }: SchemaCheck): SchemaCheckResult {
  try {
    const check = compiled(schema, () => compileSchema(JSON.parse(schema) as object | boolean));
    return { issues: values.map((value) => check(JSON.parse(value))) };
  } catch (error) {
    // The stack: a reference that leads back to itself for the same value, which never ends.
    if (error instanceof RangeError) return { refused: 'refers to itself without end' };
    if (!(error instanceof SchemaRefused)) throw error;
    return { refused: error.message };
  }
}
