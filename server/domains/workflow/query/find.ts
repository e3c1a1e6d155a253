import { containsText } from '#server/kernel/text/text-search.ts';
import {
  type Condition,
  type Operand,
  parseQuery,
  type Query,
  type QueryStep,
  QuerySyntaxError,
} from './parse.ts';
import { isEqual, orderOf, ownField } from './values.ts';

/** Called before each step with the number of elements that it visits; may throw to end the search. */
export type Visit = (elements: number) => void;

/** Number of elements that any query may visit: some hundredths of a second. */
const ALWAYS_VISITED = 100_000;
/** How often a query may visit each element of a larger value, and the maximum number of visits. */
const TIMES = 16;
const MOST_VISITED = 10_000_000;
/** Characters of a string that cost as much as one element. */
const CHARACTERS = 64;

/**
 * Returns a counter that limits the elements a query visits in a value.
 *
 * @param outer a counter for all queries of one task, which is called as well
 * @throws QuerySyntaxError (the counter) once the limit is exceeded
 */
export function counted(value: unknown, outer?: Visit): Visit {
  let left = ALWAYS_VISITED;
  let isExtended = false;
  return (elements) => {
    outer?.(elements);
    left -= elements;
    if (left >= 0) return;
    // Most queries never get here: the value is measured only then.
    if (!isExtended) left += Math.min(MOST_VISITED, TIMES * weightOf(value, MOST_VISITED / TIMES));
    isExtended = true;
    if (left < 0) throw new QuerySyntaxError('visits the elements of the value too often');
  };
}

/**
 * Returns what a query finds in a value (docs/tasks.md): the language of the query task, of evaluations and of
 * transformations.
 *
 * @returns undefined or null when it finds nothing; the value itself for an empty query
 * @throws QuerySyntaxError for a query that does not parse, or that visits too many elements
 */
export function queryValue(query: string, value: unknown, visit?: Visit): unknown {
  return query.trim() === '' ? value : find(parseQuery(query), value, visit ?? counted(value));
}

/** Returns what a parsed query finds in a value. */
export function find(query: Query, whole: unknown, visit: Visit): unknown {
  let found: unknown;
  for (const steps of query) {
    found = follow(steps, whole, whole, visit);
    if (found) return found;
  }
  return found;
}

const follow = (steps: readonly QueryStep[], from: unknown, whole: unknown, visit: Visit): unknown =>
  steps.reduce<unknown>((value, step) => after(step, value, whole, visit), from);

function after(step: QueryStep, value: unknown, whole: unknown, visit: Visit): unknown {
  if (step.kind !== 'own') visit(sizeOf(value));
  if (step.kind === 'values') return valuesOf(value, step.flat);
  if (value === null || value === undefined) return undefined;
  if (step.kind === 'member') return fieldValue(value, nameOf(step.name, whole, visit));
  if (step.kind === 'own') return ownField(value, nameOf(step.name, whole, visit));
  if (step.kind === 'elements') {
    if (!Array.isArray(value)) return undefined;
    const meets = testOf(step.conditions, whole, visit);
    return step.all ? value.filter(meets) : value.find(meets);
  }
  if (step.steps.length === 0) return value;
  for (const one of valuesOf(value, false)) {
    const found = follow(step.steps, one, whole, visit);
    if (found) return found;
  }
  return undefined;
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + (Array.isArray(value) ? value.length : Object.keys(value).length);
}

/** Returns a property; of a list an element by its index, else the property of each element, with lists flattened. */
function fieldValue(value: unknown, name: string): unknown {
  if (!Array.isArray(value) || isIndex(name)) return ownField(value, name);
  return value
    .map((one: unknown) => ownField(one, name))
    .filter((one) => one !== undefined)
    .flat();
}

/** Returns whether a name is the index of an element. */
export const isIndex = (name: string): boolean => /^-?\d+$/.test(name);

/** Returns the elements of a list, or the values of an object. @param flat elements that are lists are replaced by theirs */
export function valuesOf(value: unknown, flat: boolean): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const values: unknown[] = Object.values(value);
  return flat ? values.flat() : values;
}

/** Returns the name of a property that a query computes; a value that is no text becomes JSON. */
export const nameOf = (name: Operand, whole: unknown, visit: Visit): string => {
  const found = operand(name, whole, visit);
  return typeof found === 'string' ? found : JSON.stringify(found ?? '');
};

const operand = (one: Operand, whole: unknown, visit: Visit): unknown =>
  'text' in one ? one.text : find(one.query, whole, visit);

/** Returns a function that tests elements against conditions, joined from left to right. */
export function testOf(
  conditions: readonly Condition[],
  whole: unknown,
  visit: Visit,
): (element: unknown) => boolean {
  const tests = conditions.map((condition) => ({
    ...condition,
    test: conditionTest(condition, whole, visit),
  }));
  return (element) =>
    tests.reduce((held, { joined, negated, test }, at) => {
      const holds = test(element) !== negated;
      if (at === 0) return holds;
      return joined === '|' ? held || holds : held && holds;
    }, false);
}

/** Steps that one regular expression of a query may take in the worst case: about a second. */
const MOST_WORK = 2e8;

function conditionTest({ member: name, operator, value }: Condition, whole: unknown, visit: Visit) {
  const at = nameOf(name, whole, visit);
  if ('pattern' in value) {
    const { test, steps } = value.pattern;
    let left = MOST_WORK;
    return (element: unknown) => {
      const text = ownField(element, at);
      if (typeof text !== 'string') return false;
      left -= steps * text.length;
      if (left < 0) throw new QuerySyntaxError('the expression would take too long on a text of this length');
      return test(text);
    };
  }
  const other = operand(value, whole, visit);
  // Each element is compared with all of it.
  const cost = 1 + weightOf(other, MOST_VISITED);
  return (element: unknown) => {
    const value = ownField(element, at);
    visit(cost + (typeof value === 'string' ? value.length / CHARACTERS : 0));
    if (operator === '~' && Array.isArray(value)) visit(cost * value.length);
    return holds(operator, value, other);
  };
}

/** Returns a counter for all queries of one task. @throws QuerySyntaxError (the counter) once the limit is exceeded */
export function countedTogether(): Visit {
  let left = MOST_VISITED;
  return (elements) => {
    left -= elements;
    if (left < 0) throw new QuerySyntaxError('visits the elements of the values too often');
  };
}

/** Returns the number of properties of a value plus its characters, up to `most`: the maximum cost of comparing with it. */
function weightOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length / CHARACTERS;
  if (typeof value !== 'object' || value === null) return 0;
  let weight = 0;
  for (const one of Object.values(value)) {
    weight += 1 + weightOf(one, most - weight);
    if (weight > most) break;
  }
  return weight;
}

function holds(operator: Condition['operator'], value: unknown, other: unknown): boolean {
  if (operator === '=') return value !== undefined && value !== null && isEqual(value, other);
  if (operator === '~') {
    if (Array.isArray(value)) return value.some((one) => isEqual(one, other));
    return typeof value === 'string' && typeof other === 'string' && containsText(value, other);
  }
  const order = orderOf(value, other);
  if (order === null) return false;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}
