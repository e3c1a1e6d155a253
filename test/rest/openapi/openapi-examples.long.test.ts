import { expect, test } from 'vitest';
import { openApi } from '#server/http/openapi/served.ts';
import { type Described, type OpenApi, operationsIn } from '../../helpers/http/openapi.ts';
import { openService } from '../../helpers/service.ts';

const document: OpenApi = JSON.parse(await openApi());
const service = await openService();

/** An example names documents as if they were there: what is not is no fault of the example. */
const ABSENT = new Set([
  'unknown',
  'unknown_account',
  'unknown_automation',
  'unknown_device',
  'unknown_group',
  'unknown_node',
]);

/** One that ends the session of the test, and one that does not end. */
const LEFT_OUT = new Set(['/logout', '/events']);

const pairs = (name: string, value: unknown): [string, string][] =>
  Array.isArray(value)
    ? value.flatMap((one) => pairs(name, one))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([member, one]) => pairs(`${name}[${member}]`, one))
      : [[name, String(value)]];

/** The path with the examples of its parameters, and the query of those that must be there. */
function targetOf(
  path: string,
  { parameters = [] }: Described,
): { target: string; query: [string, string][] } {
  const shown = parameters.filter(({ example }) => example !== undefined);
  const target = shown
    .filter(({ in: where }) => where === 'path')
    .reduce((to, { name, example }) => to.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = shown
    .filter(({ in: where, required }) => where === 'query' && required)
    .flatMap(({ name, example }) => pairs(name, example));
  return { target, query };
}

test('every request that the document shows passes the validation of the service, rules beyond its schema included', async () => {
  const rejected: string[] = [];
  for (const { at, method, path, described } of operationsIn(document)) {
    if (LEFT_OUT.has(path)) continue;
    const { target, query } = targetOf(path, described);
    for (const [type, { example }] of Object.entries(
      described.requestBody?.content ?? { '': {} as { example?: unknown } },
    )) {
      const form = type.includes('form') && new URLSearchParams(example as Record<string, string>).toString();
      const options = form ? { raw: form, headers: { 'Content-Type': type } } : {};
      const requested =
        query.length > 0 && method === 'GET' ? `${target}?${new URLSearchParams(query)}` : target;
      const { status, json, text } = await service.send(
        'admin',
        method,
        requested,
        form ? undefined : example,
        options,
      );
      const { issues = [] } = (json ?? {}) as { issues?: { code: string; message: string }[] };
      const isAbsent = issues.length > 0 && issues.every(({ code }) => ABSENT.has(code));
      if (status === 400 && !isAbsent) rejected.push(`${at}: ${text} for ${JSON.stringify(example)}`);
    }
  }
  expect(rejected).toEqual([]);
});

test('every list accepts the examples of its query parameters', async () => {
  const refused: string[] = [];
  for (const { path, method, described } of operationsIn(document)) {
    if (method !== 'GET' || path.includes('{') || LEFT_OUT.has(path)) continue;
    const shown = (described.parameters ?? []).filter(({ in: where }) => where === 'query');
    const must = targetOf(path, described).query;
    for (const { name, example, required } of shown) {
      // A field without its value is nothing to ask for.
      if (example === undefined || required || name.endsWith('Field')) continue;
      const requested = `${path}?${new URLSearchParams([...must, ...pairs(name, example)])}`;
      const { status, text } = await service.send('admin', 'GET', requested);
      if (status === 400) refused.push(`${requested}: ${text}`);
    }
  }
  expect(refused).toEqual([]);
});
