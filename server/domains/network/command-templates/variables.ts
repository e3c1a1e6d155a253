/** A place in a command or a rule where a variable is filled in: `<!name!>`. */
const PLACE = /<!([^<>!]*)!>/g;

/** What a variable may stand for; a list stands for one run of the command for each of its elements. */
type Scalar = string | number | boolean;

/** Values of variables, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A text with its variables filled in, or why they could not be. */
export type FilledTemplate = { text: string; fault?: undefined } | { text: string; fault: string };

/** The names of the variables in a text, each once, in the order they come. */
export const namesIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(PLACE), ([, name = '']) => name.trim())),
];

/**
 * A text whose variables stand for any text as long as themselves: what can be said of it before there are values.
 *
 * @returns a text as long as the given one
 */
export const anyFilled = (text: string): string => text.replace(PLACE, (place) => 'x'.repeat(place.length));

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

const isListed = (value: unknown): value is Scalar[] =>
  Array.isArray(value) && value.length > 0 && value.every(isScalar);

const givenFor = (values: Values, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const asItIs = (value: string): string => value;

/** What an expression must say to find just this text. */
export const quoted = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * A text with its variables filled in; each that has no value, or one that is no text, is named.
 *
 * @param write how a value is written into the text; `quoted` where the text is an expression
 */
export function filled(
  text: string,
  values: Values,
  write: (value: string) => string = asItIs,
): FilledTemplate {
  const faults = namesIn(text).flatMap((name) => {
    const value = givenFor(values, name);
    if (isScalar(value)) return [];
    return value === undefined || value === null
      ? [`variable ${name} has no value`]
      : [`variable ${name} is no text, number, boolean or list of these`];
  });
  const told = text.replace(PLACE, (place, name: string) => {
    const value = givenFor(values, name.trim());
    return isScalar(value) ? write(String(value)) : place;
  });
  return faults.length === 0 ? { text: told } : { text: told, fault: faults.join('; ') };
}

/** The values that texts use. */
export const usedBy = (texts: readonly string[], values: Values): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(texts.flatMap(namesIn))].flatMap((name) => {
      const value = givenFor(values, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * The values with each list that a text uses replaced by one of its elements: every combination once, the last list
 * turning fastest. Lists that the text does not use stay as they are.
 *
 * @param most combinations that are given at all
 */
export function scopesOf(text: string, values: Values, most: number): Values[] {
  let scopes: Values[] = [values];
  for (const name of namesIn(text)) {
    const list = givenFor(values, name);
    if (!isListed(list)) continue;
    scopes = scopes.flatMap((scope) => list.map((element) => ({ ...scope, [name]: element }))).slice(0, most);
  }
  return scopes;
}
