import { ownField } from '#server/kernel/json/objects.ts';

/** The placeholder of a variable in a command or rule: `<!name!>`. */
const PLACE = /<!([^<>!]*)!>/g;

/** The value of a variable; for a list, the command is run once per element. */
type Scalar = string | number | boolean;

/** Values of variables, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A text with its variables filled in, or the reason why that failed. */
export type FilledTemplate = { text: string; fault?: undefined } | { text: string; fault: string };

/** Returns the names of the variables in a text, each once, in order of appearance. */
export const namesIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(PLACE), ([, name = '']) => name.trim())),
];

/**
 * Replaces each variable by an arbitrary text of the same length, for checks before values are known.
 *
 * @returns a text of the same length
 */
export const anyFilled = (text: string): string => text.replace(PLACE, (place) => 'x'.repeat(place.length));

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

const isListed = (value: unknown): value is Scalar[] =>
  Array.isArray(value) && value.length > 0 && value.every(isScalar);

const asItIs = (value: string): string => value;

/**
 * Fills in the variables of a text; `fault` names each that is missing or has an unsupported value.
 *
 * @param write converts a value for the text; `literalExpression` if the text is an expression
 */
export function filled(
  text: string,
  values: Values,
  write: (value: string) => string = asItIs,
): FilledTemplate {
  const faults = namesIn(text).flatMap((name) => {
    const value = ownField(values, name);
    if (isScalar(value)) return [];
    return value === undefined || value === null
      ? [`variable ${name} has no value`]
      : [`variable ${name} must be text, a number, a boolean or a list of these`];
  });
  const replaced = text.replace(PLACE, (place, name: string) => {
    const value = ownField(values, name.trim());
    return isScalar(value) ? write(String(value)) : place;
  });
  return faults.length === 0 ? { text: replaced } : { text: replaced, fault: faults.join('; ') };
}

/** Returns the values of the variables that texts use. */
export const usedBy = (texts: readonly string[], values: Values): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(texts.flatMap(namesIn))].flatMap((name) => {
      const value = ownField(values, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Returns how many commands the lists in a text make: the number of their combinations. */
export const scopeCount = (text: string, values: Values): number =>
  namesIn(text).reduce((product, name) => {
    const list = ownField(values, name);
    return isListed(list) ? product * list.length : product;
  }, 1);

/**
 * Returns the values with each list used in the text replaced by one of its elements: all combinations, the last list
 * varying fastest. Lists that the text does not use stay unchanged.
 *
 * @param most maximum number of combinations
 */
export function scopesOf(text: string, values: Values, most: number): Values[] {
  let scopes: Values[] = [values];
  for (const name of namesIn(text)) {
    const list = ownField(values, name);
    if (!isListed(list)) continue;
    scopes = scopes.flatMap((scope) => list.map((element) => ({ ...scope, [name]: element }))).slice(0, most);
  }
  return scopes;
}
