import { isObject } from '#server/kernel/json/objects.ts';

/** A JSON schema, as documents hold it. */
export type Schema = Record<string, unknown>;

/** Every type that a JSON value can have, in the order in which the product writes them. */
export const ANY_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** Anything at all. */
export const anything = (): Schema => ({ type: [...ANY_TYPES] });

/**
 * One schema for a variable that several places use: the one that asks most, when all can be met; where they contradict
 * each other, the types of all.
 *
 * @param found what each place says; none: anything
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
  if (!chosen) return anything();
  const own = typesOf(chosen);
  if (own?.size === types.size) return chosen;
  return { ...chosen, type: ordered(types) };
}

/** The types that a schema allows; an integer is a number here. Null when it does not say. */
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

/** What a literal value says of a variable; a text that refers to something says nothing, null could become anything. */
export function schemaOfValue(value: unknown): Schema | undefined {
  if (typeof value === 'string') return value.startsWith('$var.') ? undefined : { type: 'string' };
  if (typeof value === 'number' || typeof value === 'boolean') return { type: typeof value };
  if (Array.isArray(value)) return { type: 'array' };
  return isObject(value) ? { type: 'object' } : undefined;
}
