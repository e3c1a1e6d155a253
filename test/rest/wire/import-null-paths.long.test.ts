import { expect, test } from 'vitest';
import { openApi } from '#server/http/openapi/served.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { importRequests } from '../../helpers/documents/import-documents.ts';
import { type Json, type OpenApi, operationsIn, readerOf } from '../../helpers/http/openapi.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const document: OpenApi = JSON.parse(await openApi());

type Path = (string | number)[];

await service.send('admin', 'POST', '/workflow_builder/import', {
  workflow: asset('workflow', 'Flow of all'),
});
const started = await service.send('admin', 'POST', '/operations-manager/automations', {
  name: 'Started',
  componentType: 'workflows',
});
const REQUESTS = importRequests((started.json as { data: { _id: string } }).data._id);

/** Every place of a value, one of those that differ in their position in an array only. */
function placesIn(value: unknown, at: Path = [], deepest = 9): Path[] {
  if (typeof value !== 'object' || value === null || at.length >= deepest) return at.length > 0 ? [at] : [];
  const within = Array.isArray(value)
    ? value.flatMap((one, index) => placesIn(one, [...at, index], deepest))
    : Object.entries(value).flatMap(([name, one]) =>
        one === undefined ? [] : placesIn(one, [...at, name], deepest),
      );
  const kinds = new Map(
    within.map((path) => [path.map((part) => (typeof part === 'number' ? '*' : part)).join('\0'), path]),
  );
  return [...(at.length > 0 ? [at] : []), ...kinds.values()];
}

function withValue(value: unknown, [first, ...rest]: Path, put: unknown): unknown {
  if (first === undefined) return put;
  if (Array.isArray(value)) return value.with(first as number, withValue(value[first as number], rest, put));
  const members = value as Record<string, unknown>;
  return { ...members, [first]: withValue(members[first], rest, put) };
}

const described = new Map(operationsIn(document).map((one) => [one.at, one]));
const bodyOf = (at: string): Json =>
  described.get(at)?.described.requestBody?.content['application/json']?.schema as Json;

test('every import of the document is among those that are tried', () => {
  const imports = [...described.values()]
    .filter(({ method, path, described: { summary } }) => {
      // A CSV file has no nulls.
      if (path.endsWith('/csv')) return false;
      const isNamed = /^(Import|Install)\b/.test(summary) || /\/import(\/|$)/.test(path);
      return isNamed && method !== 'DELETE';
    })
    .map(({ at }) => at);
  expect(new Set(REQUESTS.map(({ at }) => at))).toEqual(new Set(imports));
});

const read = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const fresh = () => `n-${crypto.randomUUID().slice(0, 13)}`;

test.each(REQUESTS)(
  '$at of $what accepts the nulls that its schema declares and rejects others by their path',
  async ({ at, target, make }) => {
    const reader = readerOf(document, bodyOf(at));
    const [method = '', path = ''] = at.split(' ');
    const send = (body: unknown) => service.send('admin', method, target ?? path, body);
    const isFree = (body: unknown, place: Path) =>
      [{ odd: ['x'] }, 12_345.5, 'x'].every((odd) => reader.safeParse(withValue(body, place, odd)).success);

    /** In an optional field of the request or of its options, null is as good as nothing (contract/lifecycle#null). */
    const isAbsent = (place: Path) =>
      (place.length === 1 || (place.length === 2 && place[0] === 'options')) &&
      reader.safeParse(withValue(read(make('x')), place, undefined)).success;

    const whole = await send(make(fresh()));
    expect(whole.status, whole.text.slice(0, 1500)).toBeLessThan(300);
    expect(whole.text.slice(0, 1500)).not.toContain('"success":false');
    expect(reader.safeParse(read(make('x'))).error?.issues ?? []).toEqual([]);

    const wrong: string[] = [];
    const seen = { accepted: 0, rejected: 0 };
    for (const place of placesIn(read(make('x')))) {
      const body = withValue(read(make(fresh())), place, null);
      const isDeclared = reader.safeParse(body).success || isAbsent(place);
      const { status, text, json } = await send(body);
      const isStored = status < 300 && !text.includes('"success":false');
      seen[isStored ? 'accepted' : 'rejected'] += 1;
      const where = place.join('.');
      const { issues = [] } = (json ?? {}) as { issues?: { path: Path }[] };
      const isNamed = issues.some(
        ({ path: named }) =>
          `${where}.`.startsWith(`${named.join('.')}.`) || `${named.join('.')}.`.startsWith(`${where}.`),
      );
      if (isStored && !isDeclared) wrong.push(`${where}: accepted, and the schema declares no null`);
      if (!isStored && !isDeclared && (status !== 400 || !isNamed))
        wrong.push(`${where}: rejected without its path: ${status} ${text.slice(0, 300)}`);
      if (isStored || !isDeclared) continue;
      // Null says no more than absence: what needs the member anyway, by a rule beyond the schema, rejects both alike.
      const absent = await send(withValue(read(make(fresh())), place, undefined));
      const isAlike = absent.status === status && (status !== 200 || absent.text.includes('"success":false'));
      if (!isFree(body, place) && !isAlike)
        wrong.push(`${where}: rejected, not so when absent: ${status} ${text.slice(0, 300)}`);
    }
    console.info(`${at}: ${seen.accepted} accepted, ${seen.rejected} rejected`);
    expect(wrong).toEqual([]);
  },
);
