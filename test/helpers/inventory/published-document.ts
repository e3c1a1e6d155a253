import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

type Document = {
  paths: Record<string, { get: { parameters: { in: string; name: string }[] } }>;
  components: { schemas: Record<string, object> };
};

/** Returns a schema of OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, an exclusive limit a number. */
function jsonSchema(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(jsonSchema);
  if (typeof given !== 'object' || given === null) return given;
  const { nullable, ...rest } = given as Record<string, unknown>;
  for (const [exclusive, limit] of [
    ['exclusiveMaximum', 'maximum'],
    ['exclusiveMinimum', 'minimum'],
  ] as const) {
    if (rest[exclusive] === true) rest[exclusive] = rest[limit];
    else if (rest[exclusive] === false) delete rest[exclusive];
  }
  const schema = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, jsonSchema(value)]));
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/**
 * Reads an excerpt of a published OpenAPI document.
 *
 * @param system name of its folder among the fixtures
 * @param path the operation `GET` that is served
 * @param page schema of its answer, whose references lead into the document
 * @returns the names of the parameters, and a function that returns what is wrong with an answer; null: nothing
 */
export function readPublished(system: string, path: string, page: object) {
  const document = JSON.parse(
    readFileSync(new URL(`../../fixtures/${system}/devices.openapi.json`, import.meta.url), 'utf8'),
  ) as Document;
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const isPage = ajv.compile({ ...(jsonSchema({ components: document.components }) as object), ...page });
  return {
    parameters: new Set(document.paths[path]?.get.parameters.map(({ name }) => name)),
    faultOf: (body: unknown): string | null => (isPage(body) ? null : ajv.errorsText(isPage.errors)),
  };
}
