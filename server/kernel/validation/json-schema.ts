import { createRequire } from 'node:module';
import type { ErrorObject, Options } from 'ajv';
import { compilePattern } from '../documents/list-filter.ts';
import type { Issue } from '../errors.ts';
import { pointerNames } from '../json/pointer.ts';

const require = createRequire(import.meta.url);

const OPTIONS: Options = { strict: false, allErrors: true, logger: false };

/**
 * Loads the schema compiler on first use: loading takes a twentieth of a start. A shared instance validates schemas:
 * each compiler would first compile the meta-schema, ten times the work of most schemas.
 */
function load() {
  const { Ajv } = require('ajv') as typeof import('ajv');
  const addFormats = (require('ajv-formats') as typeof import('ajv-formats')).default;
  const judge = new Ajv(OPTIONS);
  const assertSchema = (schema: object | boolean) => void judge.validateSchema(schema, true);
  const compile = (schema: object | boolean) => {
    // A new instance each time, because an instance keeps what it compiled.
    const ajv = new Ajv({ ...OPTIONS, validateSchema: false, code: { regExp: linear } });
    addFormats(ajv);
    return ajv.compile(schema);
  };
  return { assertSchema, compile };
}

let loaded: ReturnType<typeof load> | undefined;

/** Loads the compiler ahead of its first use. */
export function loadSchemaCompiler(): void {
  loaded ??= load();
}

/** Returns every issue of a value, by path; none when the value is valid. */
export type Check = (value: unknown) => Issue[];

/** Thrown for a schema that cannot be used; the message may be shown. */
export class SchemaError extends Error {}

/** Thrown for a schema that may be valid but exceeded a limit when it was compiled or a value was checked. */
export class SchemaTooCostly extends SchemaError {}

/** Longest schema that is compiled, in characters: compiling costs more than reading. */
export const LONGEST_SCHEMA = 1024 * 1024;
/** Most issues that one check reports. */
const MOST = 100;

/**
 * Compiles a JSON schema that a user wrote (draft 4 to 7, in forms, triggers and workflows). Expressions are RE2 and
 * never backtrack. References resolve within the schema only. Names in `$id`, which authors choose freely and repeat,
 * are ignored. Neither compiling nor checking is bounded in time: where other users wait, use schema-checks.ts.
 *
 * @throws SchemaError
 */
export function compileSchema(schema: object | boolean): Check {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA)
    throw new SchemaError(`must have at most ${LONGEST_SCHEMA} characters`);
  loaded ??= load();
  try {
    const meant = withoutNames(schema) as object | boolean;
    loaded.assertSchema(meant);
    const validate = loaded.compile(meant);
    return (value) => (validate(value) ? [] : (validate.errors ?? []).slice(0, MOST).map(issueOf));
  } catch (error) {
    // Stack overflow: references that lead to each other in a circle.
    if (error instanceof RangeError) throw new SchemaError('refers to itself without end');
    throw new SchemaError(error instanceof Error ? error.message : 'is not a JSON schema');
  }
}

/** Keywords of a schema that hold values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);

/** Removes `$id`, `id` and `$schema` where they are texts; properties of these names are objects, and stay. */
function withoutNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNames);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => typeof value !== 'string' || !['$id', 'id', '$schema'].includes(name),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, VALUES.has(name) ? value : withoutNames(value)]),
  );
}

const linear = Object.assign((pattern: string) => compilePattern(pattern), { code: 're2' });

function issueOf({ instancePath, keyword, message, params }: ErrorObject): Issue {
  const path = (pointerNames(instancePath) ?? []).map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const field = 'missingProperty' in params ? params.missingProperty : params.additionalProperty;
  return {
    path: typeof field === 'string' ? [...path, field] : path,
    message: keyword === 'required' ? 'is missing' : (message ?? 'does not match the schema'),
    code: keyword,
  };
}
