import { eachSchema, nameOf, REF, type Schema, type Schemas } from './schema.ts';

/** The bound that JavaScript implies for integers, which is of no use to a reader. */
const SAFE = Number.MAX_SAFE_INTEGER;

/**
 * Rewrites what client generators cannot read, and removes the bounds of safe integers, which the generator adds. Tuples are
 * described by their length, properties that are always null by a constant, and several types by a choice: `items: false`,
 * `type: null` and `type: [string, number]` mean the same. A type beside null stays as it is. Generators write options as
 * texts (`"true"`), which their clients then expect: numbers are described by bounds, true and false by their type.
 */
export function tidy(schema: Schema): void {
  eachSchema(schema, (one) => {
    if (one.minimum === -SAFE) delete one.minimum;
    if (one.maximum === SAFE) delete one.maximum;
    // A choice with an option that accepts everything restricts nothing.
    if (one.anyOf?.some((option) => Object.keys(option).length === 0)) delete one.anyOf;
    if (one.items === false && Array.isArray(one.prefixItems)) {
      one.items = { anyOf: one.prefixItems };
      one.minItems = one.prefixItems.length;
      one.maxItems = one.prefixItems.length;
    }
    if (Array.isArray(one.type) && one.type.filter((type) => type !== 'null').length > 1) {
      one.anyOf = one.type.map((type) => ({ type }));
      delete one.type;
    }
    describeByBounds(one);
    for (const property of Object.values(one.properties ?? {})) {
      if (property.type !== 'null') continue;
      delete property.type;
      property.const = null;
    }
  });
}

/** Replaces a constant or options by what generators read alike: bounds of numbers, or the type of true and false. */
function describeByBounds(one: Schema): void {
  const options: unknown[] = Array.isArray(one.enum) ? one.enum : [one.const];
  const areNumbers = options.every((option) => typeof option === 'number');
  if (!areNumbers && !options.every((option) => typeof option === 'boolean')) return;
  delete one.const;
  delete one.enum;
  if (areNumbers) Object.assign(one, boundsOf(options));
  else one.examples ??= options;
}

/** Returns a schema of these numbers alone: one range where they follow one another, else a choice. */
function boundsOf(numbers: number[]): Schema {
  const [minimum, maximum] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 1) return { minimum, maximum };
  if (numbers.length === maximum - minimum + 1) return { type: 'integer', minimum, maximum };
  return { anyOf: numbers.map((option) => ({ type: 'number', minimum: option, maximum: option })) };
}

/** Describes properties so that generators can name them: no two of a schema differ in case only, or are called alike in Go. */
export function nameProperties(schema: Schema): void {
  eachSchema(schema, (one) => {
    describeOneSpelling(one);
    distinguishGoNames(Object.entries(one.properties ?? {}));
  });
}

/**
 * Leaves out properties of an open object that differ from an earlier one in case only, such as `overWrite` beside
 * `overwrite`: generators name files after properties. The object still accepts them.
 */
function describeOneSpelling({ properties, additionalProperties }: Schema): void {
  if (!properties || additionalProperties === false) return;
  const described = new Set<string>();
  for (const name of Object.keys(properties)) {
    const spelling = name.toLowerCase();
    if (described.has(spelling)) delete properties[name];
    described.add(spelling);
  }
}

/** Returns a name as generators of Go write it: `device-type` and `deviceType` are both `DeviceType`. */
const goName = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/**
 * Gives a name of its own, `x-go-name`, to every field after the first that generators of Go would call alike, such as
 * `starts-with` beside `startsWith`: their clients do not compile otherwise.
 *
 * @param fields names, each with the parameter or the schema that carries the extension
 */
export function distinguishGoNames(fields: Iterable<[string, Record<string, unknown>]>): void {
  const counts = new Map<string, number>();
  for (const [name, described] of fields) {
    const called = goName(name);
    const count = (counts.get(called) ?? 0) + 1;
    counts.set(called, count);
    if (count > 1) described['x-go-name'] = `${called}${count}`;
  }
}

/** The generator's name for a schema without a name of its own. */
const NAMELESS = /^__schema\d+$/;

/**
 * Inlines schemas without a name; the generator makes components of them wherever a recursion occurs. One that refers
 * to itself, through nothing that has a name, must stay a component.
 */
export function inlineNameless(schemas: Schemas, roots: readonly Schema[]): void {
  const nameless = Object.fromEntries(Object.entries(schemas).filter(([name]) => NAMELESS.test(name)));
  for (const [name, schema] of Object.entries(nameless)) {
    if (reachable(nameless, [schema]).has(name)) delete nameless[name];
  }
  for (const root of [...roots, ...Object.values(schemas)]) {
    eachSchema(root, (one) => {
      for (let held = heldBy(one, nameless); held; held = heldBy(one, nameless)) {
        const { $ref: _, ...beside } = one;
        delete one.$ref;
        Object.assign(one, structuredClone(held), beside);
      }
    });
  }
  for (const name of Object.keys(nameless)) delete schemas[name];
}

/** Returns the schema that a reference to one of these schemas points to. */
const heldBy = ({ $ref }: Schema, among: Schemas) => ($ref === undefined ? undefined : among[nameOf($ref)]);

/**
 * Allows unknown properties in responses. The generator closes each object of a response, but responses keep unknown
 * fields of documents (contract/decisions#unknown-members). A schema that requests also use stays closed.
 */
export function openAnswers(schemas: Schemas, requests: readonly Schema[], answers: readonly Schema[]): void {
  const inRequests = reachable(schemas, requests);
  const inAnswersOnly = [...reachable(schemas, answers)].filter((name) => !inRequests.has(name));
  for (const schema of [...answers, ...inAnswersOnly.map((name) => schemas[name] ?? {})]) {
    eachSchema(schema, (one) => {
      if (one.additionalProperties === false) delete one.additionalProperties;
    });
  }
}

/** Returns the names of all schemas that these refer to, directly or indirectly. */
export function reachable(schemas: Schemas, roots: readonly Schema[]): Set<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let next = open.pop(); next; next = open.pop()) {
    eachSchema(next, ({ $ref }) => {
      const name = $ref === undefined ? undefined : nameOf($ref);
      if (name === undefined || found.has(name)) return;
      found.add(name);
      open.push(schemas[name] ?? {});
    });
  }
  return found;
}

/** Suffix of the name of a schema that the generator describes a second time. */
export const OUTPUT_SUFFIX = 'Output';

/**
 * Finds duplicate schemas. The generator describes a schema a second time, as `<Name>Output`, when responses and
 * requests read it differently; opening the responses can remove the difference.
 *
 * @returns the names to be replaced: `<Name>Output` → `<Name>`
 */
export function equalSchemas(schemas: Schemas): Map<string, string> {
  const same = new Map<string, string>();
  for (const name of Object.keys(schemas)) {
    const base = name.slice(0, -OUTPUT_SUFFIX.length);
    if (name.endsWith(OUTPUT_SUFFIX) && schemas[base]) same.set(name, base);
  }
  // Two schemas are equal when they are so assuming that those they refer to are: drop names until that holds.
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    for (const [name, base] of [...same]) {
      if (renamed(schemas[name], same) !== JSON.stringify(schemas[base])) same.delete(name);
    }
  }
  return same;
}

/** Returns a value as JSON text, with references to these names replaced. */
export const renamed = (value: unknown, names: ReadonlyMap<string, string>): string =>
  JSON.stringify(value, (_, one: unknown) => {
    const to = typeof one === 'string' && one.startsWith(REF) ? names.get(nameOf(one)) : undefined;
    return to === undefined ? one : `${REF}${to}`;
  });
