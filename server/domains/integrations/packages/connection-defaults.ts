import { fieldIn, isObject, type JsonObject } from '#server/kernel/json/objects.ts';
import { pointerNames } from '#server/kernel/json/pointer.ts';

/** Depth to which defaults are filled in. */
const DEEPEST = 8;

/**
 * Returns a connection with the defaults of its schema filled in: those of the connection itself, and those of objects that
 * it has or must have. References within the schema are followed.
 */
export function withDefaults(schema: JsonObject, connection: JsonObject): JsonObject {
  const fill = (of: unknown, value: JsonObject, depth: number): JsonObject => {
    const rule = resolved(schema, of);
    const properties = isObject(rule.properties) ? rule.properties : {};
    const required = Array.isArray(rule.required) ? rule.required : [];
    const filled: Record<string, unknown> = { ...value };
    for (const [name, property] of Object.entries(properties)) {
      const known = resolved(schema, property);
      const isNeeded = Object.hasOwn(filled, name) || required.includes(name);
      if (!Object.hasOwn(filled, name) && known.default !== undefined) filled[name] = known.default;
      const field = Object.hasOwn(filled, name) ? filled[name] : {};
      if (isNeeded && isObject(known.properties) && isObject(field) && depth < DEEPEST)
        filled[name] = fill(known, field, depth + 1);
    }
    return filled;
  };
  return fill(schema, connection, 0);
}

/** Returns the schema that a reference within the document leads to. */
function resolved(document: JsonObject, schema: unknown): JsonObject {
  let at: unknown = schema;
  for (let step = 0; step < DEEPEST && isObject(at) && typeof at.$ref === 'string'; step += 1) {
    const names = at.$ref.startsWith('#') ? pointerNames(at.$ref.slice(1)) : null;
    at = names?.reduce<unknown>((inner, name) => fieldIn(inner, name), document);
  }
  return isObject(at) ? at : {};
}

/**
 * Returns a new connection as it is stored: with its defaults, and without repetitions by the package. Its library sends a
 * request again after a time-out whatever its method is, and jobs must know what was sent.
 */
export function newConnection(schema: JsonObject, connection: JsonObject): JsonObject {
  if (!isObject(schema.properties) || !Object.hasOwn(schema.properties, 'request'))
    return withDefaults(schema, connection);
  const given = isObject(connection.request) ? connection.request : {};
  // Set before the defaults are filled in: the schemas of generated packages require other properties of `request` once it is there.
  return withDefaults(schema, { ...connection, request: { number_retries: 0, ...given } });
}
