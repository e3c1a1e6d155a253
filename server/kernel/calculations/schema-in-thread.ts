import type { Issue } from '../errors.ts';
import { type Check, compileSchema, SchemaError } from '../validation/json-schema.ts';
import { latest } from './latest.ts';

/** A schema and the values to check against it, as JSON: sending text is faster than sending objects. */
export type SchemaCheck = { schema: string; values: readonly string[] };

/** The issues of each value, in order, or why the schema cannot be used. */
export type SchemaCheckResult = { issues: Issue[][] } | { rejected: string };

/** Most characters of the schemas whose compiled form is cached. */
const MOST_KEPT = 2 * 1024 * 1024;

const compiled = latest<Check>(MOST_KEPT);

/** Validates values against a JSON schema. @returns the issues of each value, or why the schema cannot be used */
export function checkSchemaText({ schema, values }: SchemaCheck): SchemaCheckResult {
  try {
    const check = compiled(schema, () => compileSchema(JSON.parse(schema) as object | boolean));
    return { issues: values.map((value) => check(JSON.parse(value))) };
  } catch (error) {
    // Stack overflow: a reference that leads back to itself for the same value never ends.
    if (error instanceof RangeError) return { rejected: 'refers to itself without end' };
    if (!(error instanceof SchemaError)) throw error;
    return { rejected: error.message };
  }
}
