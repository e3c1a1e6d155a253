import { isObject } from '#server/kernel/json/objects.ts';

/** A JSON schema, as documents contain it. */
export type Schema = Record<string, unknown>;

/** Every type that a JSON value can have, in the order in which the product writes them. */
export const ANY_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** Returns a schema for any value. */
export const anySchema = (): Schema => ({ type: [...ANY_TYPES] });

/**
 * Returns one schema for a variable with several uses: the most restrictive one, if all can be satisfied; where they
 * contradict each other, the types of all.
 *
 * @param found the schema of each use; none: any value
 */
export function narrowest(found: readonly Schema[]): Schema {
  let chosen: Schema | undefined;
  let types = new Set(ANY_TYPES);
  for (const schema of found) {
    const own = typesOf(schema);
    if (own === null) continue;
    const both = new Set([...types].filter((type) => own.has(type)));
    if (both.size === 0) return { type: ordered(found.flatMap((one) => [...(typesOf(one) ?? [])])) };
    if (!chosen || both.size < types.size) chosen = schema;
    types = both;
  }
  if (!chosen) return anySchema();
  const own = typesOf(chosen);
  if (own?.size === types.size) return chosen;
  return { ...chosen, type: ordered(types) };
}

/** Returns the types that a schema allows, with integers as numbers; null when it does not restrict them. */
function typesOf({ type, oneOf, anyOf }: Schema): Set<string> | null {
  const listed = oneOf ?? anyOf;
  if (type === undefined && Array.isArray(listed)) {
    const each = listed.map((one) => (isObject(one) ? typesOf(one) : null));
    if (each.includes(null)) return null;
    return new Set(each.flatMap((one) => [...(one ?? [])]));
  }
  const written: unknown[] = Array.isArray(type) ? type : [type];
  const known = written.map((one) => (one === 'integer' ? 'number' : one));
  const types = new Set(known.filter((one) => typeof one === 'string' && ANY_TYPES.includes(one)));
  return types.size > 0 ? (types as Set<string>) : null;
}

function ordered(types: Iterable<string>): string | string[] {
  const given = new Set(types);
  const sorted = ANY_TYPES.filter((type) => given.has(type));
  const [only] = sorted;
  return sorted.length === 1 && only !== undefined ? only : sorted;
}

/** Returns the schema of a literal value; undefined for a reference, and for null, which could become anything. */
export function schemaOfValue(value: unknown): Schema | undefined {
  if (typeof value === 'string') return value.startsWith('$var.') ? undefined : { type: 'string' };
  if (typeof value === 'number' || typeof value === 'boolean') return { type: typeof value };
  if (Array.isArray(value)) return { type: 'array' };
  return isObject(value) ? { type: 'object' } : undefined;
}
