import { compilePattern, PatternRefused } from '#server/engines/platform/filter.ts';
import type { Issue } from '#server/errors.ts';

/** How deep a schema may nest, and how many schemas it may hold: a check of a body walks them all. */
const DEEPEST = 64;
const MOST = 5000;
/** Issues told of one schema. */
const MOST_TOLD = 20;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

type Path = (string | number)[];
type Check = (value: unknown, path: Path, walk: Walk) => void;
type Walk = { issues: Issue[]; schemas: number; depth: number; root: Record<string, unknown> };

/**
 * Why a JSON schema cannot be used to check what comes in (lifecycle §6.2); empty when it can. What is looked at is its
 * form: keywords of a wrong type, expressions that RE2 refuses, references that lead nowhere. Keywords that are not
 * known mean nothing, as JSON Schema has it.
 *
 * @param path where the schema stands in the request
 */
export function schemaIssues(schema: unknown, path: Path): Issue[] {
  const root = isObject(schema) ? schema : {};
  const walk: Walk = { issues: [], schemas: 0, depth: 0, root };
  checkSchema(schema, path, walk);
  return walk.issues.slice(0, MOST_TOLD);
}

const tell = (walk: Walk, path: Path, message: string) => {
  if (walk.issues.length < MOST_TOLD) walk.issues.push({ path, message, code: 'invalid_schema' });
};

const checkSchema: Check = (schema, path, walk) => {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) {
    tell(walk, path, 'must be a JSON schema: an object, true or false');
    return;
  }
  walk.schemas += 1;
  if (walk.schemas === MOST + 1) tell(walk, path, `holds more than ${MOST} schemas`);
  if (walk.depth >= DEEPEST) tell(walk, path, `nests schemas deeper than ${DEEPEST}`);
  if (walk.schemas > MOST || walk.depth >= DEEPEST) return;
  walk.depth += 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (Object.hasOwn(KEYWORDS, keyword)) KEYWORDS[keyword]?.(value, [...path, keyword], walk);
  }
  walk.depth -= 1;
};

const test =
  (message: string, holds: (value: unknown) => boolean): Check =>
  (value, path, walk) => {
    if (!holds(value)) tell(walk, path, message);
  };

const eachMember =
  (check: Check): Check =>
  (value, path, walk) => {
    if (!isObject(value)) return tell(walk, path, 'must be an object of schemas');
    for (const [name, one] of Object.entries(value)) check(one, [...path, name], walk);
  };

const eachElement =
  (check: Check): Check =>
  (value, path, walk) => {
    if (!Array.isArray(value) || value.length === 0) return tell(walk, path, 'must be a list of schemas');
    for (const [at, one] of value.entries()) check(one, [...path, at], walk);
  };

const checkPattern: Check = (value, path, walk) => {
  if (typeof value !== 'string') return tell(walk, path, 'must be a regular expression');
  try {
    compilePattern(value);
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    tell(walk, path, error.message);
  }
};

const schemas: Record<string, Check> = {
  properties: eachMember(checkSchema),
  patternProperties: (value, path, walk) => {
    if (isObject(value)) for (const name of Object.keys(value)) checkPattern(name, [...path, name], walk);
    eachMember(checkSchema)(value, path, walk);
  },
  definitions: eachMember(checkSchema),
  $defs: eachMember(checkSchema),
  dependentSchemas: eachMember(checkSchema),
  dependencies: eachMember((value, path, walk) =>
    Array.isArray(value) ? names(value, path, walk) : checkSchema(value, path, walk),
  ),
  items: (value, path, walk) => {
    // An empty list of items is a tuple of none: it says nothing, and is allowed.
    if (!Array.isArray(value)) checkSchema(value, path, walk);
    else if (value.length > 0) eachElement(checkSchema)(value, path, walk);
  },
  prefixItems: eachElement(checkSchema),
  allOf: eachElement(checkSchema),
  anyOf: eachElement(checkSchema),
  oneOf: eachElement(checkSchema),
};
for (const keyword of [
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]) {
  schemas[keyword] = checkSchema;
}

const isNames = (value: unknown) =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'string') &&
  new Set(value).size === value.length;
const names = test('must be a list of names, each once', isNames);
const isNumber = (value: unknown) => typeof value === 'number';
const isCount = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const number = test('must be a number', isNumber);
const count = test('must be a whole number of at least 0', isCount);
const limit = test('must be a number', (value) => isNumber(value) || typeof value === 'boolean');
const flag = test('must be true or false', (value) => typeof value === 'boolean');
const words = test('must be text', (value) => typeof value === 'string');

const KEYWORDS: Record<string, Check> = {
  ...schemas,
  type: test('must be string, number, integer, boolean, object, array or null, or a list of these', (value) =>
    TYPES.has(value as string) ||
    (isNames(value) && (value as string[]).length > 0 && (value as string[]).every((one) => TYPES.has(one)))),
  // A single property could be marked required by true or false in the first drafts.
  required: test('must be a list of names, each once', (value) =>
    typeof value === 'boolean' || isNames(value)),
  dependentRequired: eachMember(names),
  pattern: checkPattern,
  enum: test('must be a list of values', Array.isArray),
  minimum: number,
  maximum: number,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  multipleOf: test('must be a number above 0', (value) => isNumber(value) && (value as number) > 0),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minContains: count,
  maxContains: count,
  uniqueItems: flag,
  format: words,
  $ref: (value, path, walk) => {
    if (typeof value !== 'string') return tell(walk, path, 'must be text');
    if (!value.startsWith('#')) return tell(walk, path, 'must lead inside this schema, from # on');
    if (!leadsSomewhere(value, walk.root)) tell(walk, path, `leads nowhere: ${value.slice(0, 100)}`);
  },
};

/** Whether a JSON pointer in a fragment finds a schema; a plain name is an anchor, which is not looked for. */
function leadsSomewhere(reference: string, root: Record<string, unknown>): boolean {
  if (reference === '#' || !reference.startsWith('#/')) return true;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = unescaped(part);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return isObject(at) || typeof at === 'boolean';
}

function unescaped(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
