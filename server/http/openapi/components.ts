import { eachSchema, nameOf, type Schema, type Schemas } from './schema.ts';

/** Bounds that a schema of a whole number has because of JavaScript, and that tell a reader nothing. */
const SAFE = Number.MAX_SAFE_INTEGER;

/**
 * Leaves out the bounds of safe integers, which the generator adds, and describes tuples by their length: `items: false`
 * says the same, but generators of clients expect a schema there.
 */
export function tidy(schema: Schema): void {
  eachSchema(schema, (one) => {
    if (one.minimum === -SAFE) delete one.minimum;
    if (one.maximum === SAFE) delete one.maximum;
    // A choice with a schema that accepts everything is no choice.
    if (one.anyOf?.some((option) => Object.keys(option).length === 0)) delete one.anyOf;
    if (one.items === false && Array.isArray(one.prefixItems)) {
      one.items = { anyOf: one.prefixItems };
      one.minItems = one.prefixItems.length;
      one.maxItems = one.prefixItems.length;
    }
  });
}

/** The generator's name for a schema that has none of its own. */
const NAMELESS = /^__schema\d+$/;

/**
 * Put schemas without a name where they are referred to; the generator sets them apart wherever a recursion passes.
 * One that leads back to itself, through nothing that has a name, must stay.
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

/** What a reference to one of these schemas stands for. */
const heldBy = ({ $ref }: Schema, among: Schemas) => ($ref === undefined ? undefined : among[nameOf($ref)]);

/**
 * Open the objects of answers. The generator closes each object that an answer holds, but nothing is taken out of an
 * answer here: documents keep the members that we do not know (contract/decisions#unknown-members). A schema that requests
 * use too stays as they need it.
 */
export function openAnswers(schemas: Schemas, requests: readonly Schema[], answers: readonly Schema[]): void {
  const asked = reachable(schemas, requests);
  const told = [...reachable(schemas, answers)].filter((name) => !asked.has(name));
  for (const schema of [...answers, ...told.map((name) => schemas[name] ?? {})]) {
    eachSchema(schema, (one) => {
      if (one.additionalProperties === false) delete one.additionalProperties;
    });
  }
}

/** The names of all schemas that these refer to, through any number of others. */
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

/** Ends the names of schemas that the generator describes a second time. */
export const TWIN = 'Output';

/**
 * The generator describes a schema a second time, as `<Name>Output`, when answers and requests read it differently.
 * Where opening the answers has taken the difference away, the second one is the first.
 *
 * @returns the names to be replaced: `<Name>Output` → `<Name>`
 */
export function equalSchemas(schemas: Schemas): Map<string, string> {
  const same = new Map<string, string>();
  for (const name of Object.keys(schemas)) {
    const base = name.slice(0, -TWIN.length);
    if (name.endsWith(TWIN) && schemas[base]) same.set(name, base);
  }
  // Two schemas are the same when they are so under the assumption that those they refer to are: drop until it holds.
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    for (const [name, base] of [...same]) {
      if (renamed(schemas[name], same) !== JSON.stringify(schemas[base])) same.delete(name);
    }
  }
  return same;
}

/** A value as JSON text, with references to the names replaced. */
export const renamed = (value: unknown, names: ReadonlyMap<string, string>): string =>
  JSON.stringify(value, (key, one: unknown) => {
    const to = key === '$ref' && typeof one === 'string' ? names.get(nameOf(one)) : undefined;
    return to === undefined ? one : `#/components/schemas/${to}`;
  });
