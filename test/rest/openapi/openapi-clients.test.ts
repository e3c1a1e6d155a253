import { expect, test } from 'vitest';
import { openApi } from '#server/http/openapi/served.ts';
import { type Json, type OpenApi, operationsIn, responseOf } from '../../helpers/http/openapi.ts';

/*
 * What made generators of clients and linters warn: names of models that they derive alike from two places, answers of a
 * type that they do not know, components that nothing refers to.
 */

const text = await openApi();
const document: OpenApi = JSON.parse(text);
const { schemas } = document.components;
const operations = operationsIn(document);

const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
    .join('');

/** The name of the schema that one refers to. */
const nameOf = ({ $ref }: Json) => String($ref).replace(/.*\//, '');

/** Whether a schema becomes a separate model at its place. */
const isModel = ({ type, properties, additionalProperties }: Json) =>
  [type].flat().includes('object') && (properties !== undefined || additionalProperties !== undefined);

/** The models inside a schema, each named as generators do: by its parent and its place there. */
function modelsIn(schema: Json, name: string, place: string, found: [string, string][]): void {
  const inside = isModel(schema) ? pascal(name) : name;
  if (isModel(schema)) found.push([inside, place]);
  const within = (part: unknown, at: string) => {
    if (typeof part === 'object' && part !== null)
      modelsIn(part as Json, `${inside}_${at}`, `${place}.${at}`, found);
  };
  for (const [member, one] of Object.entries((schema.properties ?? {}) as Json)) within(one, member);
  for (const [index, one] of ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).entries())
    within(one, `type_${index}`);
  within(schema.items, 'item');
  within(schema.additionalProperties, 'additional_property');
}

test('no two schemas lead to models of one name', () => {
  const found: [string, string][] = [];
  for (const [name, schema] of Object.entries(schemas)) modelsIn(schema, name, name, found);
  for (const name of Object.keys(schemas))
    if (!isModel(schemas[name] ?? {})) found.push([pascal(name), name]);
  const places = new Map<string, string[]>();
  for (const [model, place] of found) places.set(model, [...(places.get(model) ?? []), place]);
  const twice = [...places.values()].filter((at) => at.length > 1);
  expect(twice).toEqual([]);
  expect(found.length).toBeGreaterThan(Object.keys(schemas).length);
});

test('a choice between documents that hold others names each of them', () => {
  const holds = (one: Json) => Object.values((one.properties ?? {}) as Record<string, Json>).some(isModel);
  const inline = Object.entries(schemas).flatMap(([name, schema]) =>
    ((schema.oneOf ?? schema.anyOf ?? []) as Json[]).some(holds) ? [name] : [],
  );
  expect(inline).toEqual([]);
});

test('every component of the document is referenced', () => {
  const used = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
  expect(Object.keys(schemas).filter((name) => !used.has(name))).toEqual([]);
});

test('every success has a type that generators know, or none', () => {
  const known = (type: string) => /^(application\/(json|octet-stream|pdf)|text\/.+|.+\+json)$/.test(type);
  for (const { at, described } of operations) {
    for (const status of Object.keys(described.responses).map(Number)) {
      const types = Object.keys(responseOf(document, described, status)?.content ?? {});
      expect(types.length === 0 || types.some(known), `${at} ${status}: ${types.join()}`).toBe(true);
    }
  }
});

test('no schema is a bare true or false where generators expect one', () => {
  expect(text).not.toContain('"items":false');
  expect(text).not.toContain('"items":true');
});

/** Calls `visit` with every object of the document. */
function eachObject(value: unknown, visit: (one: Json) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Json);
  for (const one of Object.values(value)) eachObject(one, visit);
}

test('a schema has one type, or one type and null', () => {
  const several: unknown[] = [];
  eachObject(document, ({ type }) => {
    if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) several.push(type);
  });
  expect(several).toEqual([]);
  expect(text).not.toContain('"enum":[null]');
  expect(text).toContain('"const":null');
});

test('constants are texts: generators write the options of numbers, true and false as texts', () => {
  const typed: unknown[] = [];
  eachObject(document, (one) => {
    if (one.type === undefined) return;
    const options = [...(Array.isArray(one.enum) ? one.enum : []), one.const ?? ''];
    if (options.some((option) => typeof option === 'number' || typeof option === 'boolean')) typed.push(one);
  });
  expect(typed).toEqual([]);
  const propertiesOf = (name: string) => schemas[name]?.properties as Record<string, Json> | undefined;
  const password = propertiesOf('SignInMethods')?.password;
  expect(password).toMatchObject({ type: 'boolean', examples: [true] });
  expect(propertiesOf('ComplianceRunStarted')?.status).toMatchObject({
    type: 'number',
    minimum: 202,
    maximum: 202,
  });
});

test('fields and parameters of one place have names of their own in Go', () => {
  const goName = (name: string) =>
    name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first) => first.toUpperCase());
  const alike: string[][] = [];
  const check = (named: [string, Json][]) => {
    const called = named.map(([name, one]) => one['x-go-name'] ?? goName(name));
    if (new Set(called).size < called.length) alike.push(named.map(([name]) => name));
  };
  eachObject(document, ({ properties, parameters }) => {
    // In an example, a field of this name holds values.
    const named = Object.entries(properties ?? {});
    if (named.every(([, one]) => typeof one === 'object' && one !== null)) check(named);
    if (Array.isArray(parameters))
      check(parameters.filter((one) => one.in === 'query').map((one) => [one.name, one]));
  });
  expect(alike).toEqual([]);
  expect(text).toContain('"x-go-name":"StartsWith2"');
});

test('no two properties of one schema differ in case only', () => {
  const alike: string[][] = [];
  eachObject(document, ({ properties }) => {
    const names = Object.keys(properties ?? {});
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) alike.push(names);
  });
  expect(alike).toEqual([]);
});

test('a discriminator names the options of its choice, and those only', () => {
  const wrong: unknown[] = [];
  let count = 0;
  eachObject(document, ({ discriminator, oneOf, anyOf }) => {
    const { mapping } = (discriminator ?? {}) as { mapping?: Json };
    if (mapping === undefined) return;
    count += 1;
    const options = ((oneOf ?? anyOf) as Json[]).map(({ $ref }) => $ref).sort();
    const named = Object.values(mapping).sort();
    if (JSON.stringify(named) !== JSON.stringify(options)) wrong.push([named, options]);
  });
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(2);
});

test('no parameter of a query is null, which a query cannot express', () => {
  const nullable = operations.flatMap(({ at, described }) =>
    (described.parameters ?? []).flatMap(({ in: where, name, schema }) => {
      const { type, anyOf } = schema as Json;
      const types = [type, ...((anyOf ?? []) as Json[]).map((one) => one.type)].flat();
      return where === 'query' && types.includes('null') ? [`${at} ${name}`] : [];
    }),
  );
  expect(nullable).toEqual([]);
});

test('no parameter of a query refers to a schema of plain text, which generators would send as an object', () => {
  const named = operations.flatMap(({ at, described }) =>
    (described.parameters ?? []).flatMap(({ in: where, name, schema }) =>
      where === 'query' && '$ref' in (schema as Json)
        ? [{ at, name, to: schemas[nameOf(schema as Json)] }]
        : [],
    ),
  );
  expect(named.filter(({ to }) => to?.type !== 'object')).toEqual([]);
  expect(named.length).toBeGreaterThan(0);
});

test('a PDF is binary', () => {
  const files = operations.flatMap(({ at, described }) => {
    const schema = responseOf(document, described, 200)?.content?.['application/pdf']?.schema;
    return schema ? [[at, schema.format]] : [];
  });
  expect(files.map(([at]) => at)).toContain('GET /configuration_manager/compliance_reports/export/pdf');
  expect(files.map(([, format]) => format)).toEqual(files.map(() => 'binary'));
});

/**
 * Paths that one URL would fit both of: the interface and its clients have them, and fixed segments win
 * (contract/lifecycle#0.2).
 */
const AMBIGUOUS = [
  ['/operations-manager/triggers/action/{id}', '/operations-manager/triggers/{id}/export'],
  ['/operations-manager/triggers/endpoint/{routeName}', '/operations-manager/triggers/{id}/export'],
  ['/workflow_builder/workflows/delete/{name}', '/workflow_builder/workflows/{name}/groups'],
];

test('no URL fits two paths, but for those that clients call', () => {
  const paths = Object.keys(document.paths).map((path) => ({ path, parts: path.split('/') }));
  const isFixed = (part: string | undefined) => !part?.startsWith('{');
  const overlap = (one: string[], other: string[]) =>
    one.length === other.length &&
    one.every((part, at) => part === other[at] || !isFixed(part) || !isFixed(other[at])) &&
    // One that is fixed wherever they differ wins, so that nothing is open.
    one.some((part, at) => isFixed(part) && !isFixed(other[at])) &&
    one.some((part, at) => !isFixed(part) && isFixed(other[at]));
  const found = paths.flatMap(({ path, parts }, at) =>
    paths
      .slice(at + 1)
      .filter((other) => overlap(parts, other.parts))
      .map((other) => [path, other.path]),
  );
  expect(found).toEqual(AMBIGUOUS);
});
