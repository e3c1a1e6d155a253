/** A step of a path through JSON: a property's name, an array index, or any of either. */
export type JsonPathStep = string | number | typeof ANY;

/** Any property, or any item. */
export const ANY = Symbol('*');

/** The next step of a path in dot notation: `.name`, `['any name']`, `[0]`, `[*]` or `.*`. */
const STEP = /\.\*|\[\*\]|\.([^.[\]*'"\s]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * Returns the steps of a path in dot notation, such as `$.groups[0]['a name']`; the `$` is optional.
 *
 * @returns undefined for a text that is not a path
 */
export function stepsOf(path: string): JsonPathStep[] | undefined {
  const text = path.startsWith('$') ? path.slice(1) : /^[.[]/.test(path) || path === '' ? path : `.${path}`;
  const steps: JsonPathStep[] = [];
  for (STEP.lastIndex = 0; STEP.lastIndex < text.length; ) {
    const found = STEP.exec(text);
    if (!found) return undefined;
    const [, name, place, single, double] = found;
    const quoted = single ?? double;
    if (place !== undefined) steps.push(Number(place));
    else if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, '$1'));
    else steps.push(name ?? ANY);
  }
  return steps;
}

/** Returns whether a pattern matches the path `place`, or one above it. */
export const leadsTo = (pattern: readonly JsonPathStep[], place: readonly JsonPathStep[]): boolean =>
  pattern.length <= place.length &&
  pattern.every((step, at) => step === ANY || place[at] === ANY || step === place[at]);

/** Returns whether a pattern matches exactly the path `place`. */
export const names = (pattern: readonly JsonPathStep[], place: readonly JsonPathStep[]): boolean =>
  pattern.length === place.length && leadsTo(pattern, place);
