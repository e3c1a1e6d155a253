import { isObject, ownField } from '#server/kernel/json/objects.ts';
import { compileSchema, SchemaError } from '#server/kernel/validation/json-schema.ts';
import { checkAtOnce } from '#server/kernel/validation/schema-checks.ts';
import { StepFailed } from './expressions/step-failed.ts';
import { define, isList } from './expressions/values.ts';
import { type JsonObject, listOf } from './finding.ts';
import { type RunState, spend } from './run.ts';

/** An issue of an input; the path begins with the input's name. */
export type InputIssue = { path: (string | number)[]; message: string; code: string };

/**
 * Returns a value with the defaults of its schema for everything that was not supplied, nested keys included; null counts
 * as supplied (contract/engines#transformation-task).
 */
export function withDefaults(run: RunState, value: unknown, schema: unknown, depth = 0): unknown {
  spend(run, 1);
  if (!isObject(schema) || depth > 200) return value;
  const found = value === undefined ? schema.default : value;
  const { properties, items } = schema;
  if (isList(found) && isObject(items)) return found.map((one) => withDefaults(run, one, items, depth + 1));
  if (!isObject(found) || !isObject(properties)) return found;
  const copy: JsonObject = { ...found };
  for (const [name, inner] of Object.entries(properties)) {
    const supplied = ownField(found, name);
    const settled = withDefaults(run, supplied, inner, depth + 1);
    if (settled !== undefined && settled !== supplied) define(copy, name, settled);
  }
  return copy;
}

/** Returns all issues of the supplied inputs against their schemas. */
export function inputIssues(
  run: RunState,
  schemas: unknown,
  inputs: ReadonlyMap<string, unknown>,
): InputIssue[] {
  const found: InputIssue[] = [];
  for (const schema of listOf(schemas)) {
    const name = String(schema.$id);
    const value = inputs.get(name);
    if (value === undefined) continue;
    try {
      const issues = run.limits.dearSchemas ? compileSchema(schema)(value) : checkAtOnce(schema, value);
      if (issues === null) throw new StepFailed('checking the inputs takes too long');
      found.push(...issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      found.push({
        path: [name],
        message: `has a schema that cannot be used: ${error.message}`,
        code: 'schema',
      });
    }
  }
  return found;
}
