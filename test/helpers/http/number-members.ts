import type { z } from 'zod';

/** Schemas nest and refer to themselves: numbers below this depth are not looked for. */
const DEEPEST = 8;

/** The place of a member; `*` is any name in a record. */
export type Place = (string | number)[];

/** Returns the places of all numbers that a schema accepts. */
export function numbersIn(schema: z.core.$ZodType, above: Place = []): Place[] {
  if (above.length > DEEPEST) return [];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'number':
      return [above];
    case 'literal':
      return def.values.some((one) => typeof one === 'number') ? [above] : [];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return numbersIn(def.innerType, above);
    case 'pipe':
      return numbersIn(def.in, above);
    case 'lazy':
      return numbersIn(def.getter(), above);
    case 'union': {
      const places = def.options.flatMap((option) => numbersIn(option, above));
      return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
    }
    case 'array':
      return numbersIn(def.element, [...above, 0]);
    case 'tuple':
      return def.items.flatMap((item, index) => numbersIn(item, [...above, index]));
    case 'record':
      return numbersIn(def.valueType, [...above, '*']);
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => numbersIn(member, [...above, name]));
    default:
      return [];
  }
}

/** Returns a copy of a JSON value with another value at a path; missing parents are created. */
export function withValueAt(document: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items: unknown[] = Array.isArray(document) ? [...document] : [];
    items[step] = withValueAt(items[step], rest, value);
    return items;
  }
  const members =
    typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : {};
  const name = step === '*' ? (Object.keys(members)[0] ?? 'name') : step;
  return { ...members, [name]: withValueAt(members[name], rest, value) };
}
