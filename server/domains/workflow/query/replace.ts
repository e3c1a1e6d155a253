import { counted, isIndex, nameOf, testOf, type Visit } from './find.ts';
import { parseQuery, type QueryStep, QuerySyntaxError } from './parse.ts';
import { ownField } from './values.ts';

type Replacement = { value: unknown; found: boolean };

/**
 * Returns a value with what a query finds in it replaced; nothing is changed in place.
 *
 * @returns `found` false: there was nothing to replace, and the value is unchanged
 * @throws QuerySyntaxError for a query that does not parse, or that has more than one path
 */
export function replaceFound(query: string, whole: unknown, replacement: unknown): Replacement {
  if (query.trim() === '') return { value: replacement, found: true };
  const [steps, other] = parseQuery(query);
  if (!steps || other) throw new QuerySyntaxError('a query to be replaced must have one path: remove |');
  return replaced(steps, whole, replacement, whole, counted(whole));
}

function replaced(
  steps: readonly QueryStep[],
  value: unknown,
  replacement: unknown,
  whole: unknown,
  visit: Visit,
): Replacement {
  const [step, ...rest] = steps;
  if (!step) return { value: replacement, found: true };
  if (step.kind === 'within') throw new QuerySyntaxError('[] does not name what to replace');
  const change = (one: unknown) => replaced(rest, one, replacement, whole, visit);
  // An object or list in which something is replaced is copied.
  visit(typeof value === 'object' && value !== null ? 1 + Object.keys(value).length : 1);
  if (Array.isArray(value)) return inList(step, value, change, whole, visit);
  if (typeof value !== 'object' || value === null || step.kind === 'elements') return { value, found: false };
  if (step.kind === 'values') return overAll(value, change, step.flat);
  const name = nameOf(step.name, whole, visit);
  if (!Object.hasOwn(value, name)) return { value, found: false };
  const { value: next, found } = change(ownField(value, name));
  return found ? { value: withField(value, name, next), found } : { value, found };
}

function inList(
  step: Exclude<QueryStep, { kind: 'within' }>,
  list: unknown[],
  change: (one: unknown) => Replacement,
  whole: unknown,
  visit: Visit,
): Replacement {
  if (step.kind === 'values') return overAll(list, change, step.flat);
  if (step.kind === 'elements') {
    const meets = testOf(step.conditions, whole, visit);
    const only = step.all ? -1 : list.findIndex(meets);
    return mapped(list, (one, at) => (step.all ? meets(one) : at === only), change);
  }
  const name = nameOf(step.name, whole, visit);
  if (isIndex(name)) return mapped(list, (_, at) => String(at) === name, change);
  return mapped(
    list,
    (one) => typeof one === 'object' && one !== null && Object.hasOwn(one, name),
    (one) => {
      const { value, found } = change(ownField(one, name));
      visit(Object.keys(one as object).length);
      return { value: withField(one as object, name, value), found };
    },
  );
}

function mapped(
  list: unknown[],
  isMeant: (one: unknown, at: number) => boolean,
  change: (one: unknown) => Replacement,
): Replacement {
  let any = false;
  const value = list.map((one, at) => {
    if (!isMeant(one, at)) return one;
    const next = change(one);
    any ||= next.found;
    return next.found ? next.value : one;
  });
  return { value: any ? value : list, found: any };
}

function overAll(value: object, change: (one: unknown) => Replacement, flat: boolean): Replacement {
  const each = (one: unknown): Replacement =>
    flat && Array.isArray(one) ? mapped(one, () => true, change) : change(one);
  if (Array.isArray(value)) return mapped(value, () => true, each);
  const names = Object.keys(value);
  const { value: values, found } = mapped(Object.values(value), () => true, each);
  if (!found) return { value, found };
  return { value: Object.fromEntries(names.map((name, at) => [name, (values as unknown[])[at]])), found };
}

/** Returns a copy with one property set. Properties are defined, not assigned, so that no name has a special meaning. */
export function withField(value: object, name: string, member: unknown): object {
  const entries = Object.entries(value);
  const isThere = Object.hasOwn(value, name);
  return Object.fromEntries(
    isThere ? entries.map(([key, one]) => [key, key === name ? member : one]) : [...entries, [name, member]],
  );
}
