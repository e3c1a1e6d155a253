import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { openApi } from '#server/http/openapi/served.ts';
import {
  type Described,
  type Json,
  type OpenApi,
  operationsIn,
  readerOf,
  responseOf,
} from '../helpers/http/openapi.ts';
import { isLong, sampled } from '../helpers/long.ts';
import { type Answer, openService } from '../helpers/service.ts';
import { brokenValuesOf, valuesOf } from './from-schema.ts';

/** Requests of a run, at least one of each operation that is tried; `npm run fuzz` sends 20,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (isLong ? 1000 : 120));
const SEED = Number(process.env.FUZZ_SEED ?? 20260101);

const service = await openService({ BODY_LIMIT_MIB: '2', IMPORT_LIMIT_MIB: '2' });
const document: OpenApi = JSON.parse(await openApi());
const { schemas } = document.components;
/** The account that sends: requests that end its sessions or rights would leave only denials that prove nothing. */
const { caller: self } = await service.callerWith('admin');

/** They end the session, never end, or stop what every other request needs. */
const LEFT_OUT = /^\/(logout|events|user\/sessions|applications\/\{name\}\/(stop|restart))/;
/** All of them; in the short form, one for each request. */
const fuzzed = sampled(
  operationsIn(document).filter(({ path }) => !LEFT_OUT.test(path)),
  REQUESTS,
);

/** The JSON that each operation says it answers, by its place and status: read by one reader, which is made once. */
const JSON_TYPE = 'application/json';
const answered: Record<string, Json> = { error: { $ref: '#/components/schemas/Error' } };
for (const { at, described } of fuzzed) {
  for (const status of Object.keys(described.responses).map(Number)) {
    const schema = responseOf(document, described, status)?.content?.[JSON_TYPE]?.schema;
    if (status < 300 && schema) answered[`${at} ${status}`] = schema;
  }
}
const readers = (readerOf(document, { type: 'object', properties: answered }) as z.ZodObject).shape;

/** Ids and names that answers held: a request that names something that exists gets further. */
const seen: string[] = [];

function remember(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 3) return;
  for (const [name, one] of Object.entries(value).slice(0, 20)) {
    if (typeof one !== 'string') remember(one, depth + 1);
    else if (/^(_id|id|name)$/.test(name) && one.length < 60 && one !== self.id) seen.push(one);
  }
  if (seen.length > 200) seen.splice(0, seen.length - 200);
}

type Sent = { parameters: Record<string, unknown>; body: unknown; pick: number; known: boolean };

/** Requests of one operation, half of them as its schemas say, half with one place broken. */
function requestsOf(described: Described): fc.Arbitrary<Sent> {
  const sent = (generate: typeof valuesOf) => {
    const parameters = (described.parameters ?? []).filter(
      (one) => one.in !== 'header' && one.style !== 'form',
    );
    const [media] = Object.entries(described.requestBody?.content ?? {});
    return fc.record({
      parameters: fc.record(
        Object.fromEntries(parameters.map(({ name, schema }) => [name, generate(schema, schemas)])),
        { requiredKeys: parameters.filter((one) => one.required).map(({ name }) => name) },
      ),
      body: media ? generate(media[1].schema as Json, schemas) : fc.constant(undefined),
      pick: fc.nat(),
      known: fc.boolean(),
    });
  };
  return fc.oneof(sent(valuesOf), sent(brokenValuesOf));
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
/** As a URL can carry it: text without halves of surrogate pairs, and no dot segments, which clients resolve. */
const encode = (value: unknown) =>
  encodeURIComponent(textOf(value).toWellFormed().slice(0, 2000)).replaceAll('.', '%2e');

/** The target of a request: a path of an operation that talks to devices never names what exists. */
function targetOf(path: string, described: Described, { parameters, pick, known }: Sent): string {
  const outward = '504' in described.responses;
  const names = described.parameters ?? [];
  let target = path;
  const query: string[] = [];
  for (const { name, in: where } of names) {
    const value = parameters[name];
    if (where === 'path') {
      const given = known && !outward && seen.length > 0 ? seen[pick % seen.length] : value;
      target = target.replace(`{${name}}`, encode(given === '' || given === undefined ? 'x' : given));
    } else if (value !== undefined) {
      for (const one of Array.isArray(value) ? value : [value]) query.push(`${encode(name)}=${encode(one)}`);
    }
  }
  return query.length > 0 ? `${target}?${query.join('&')}` : target;
}

/** Returns what is wrong with an answer to any request: a fault, or something that the document does not declare. */
function faultsIn(at: string, described: Described, { status, headers, text, json }: Answer): string[] {
  const declared = responseOf(document, described, status);
  // Every path answers 405 to other methods and 431 to headers that are too long.
  if (!declared) return status === 431 ? [] : [`undeclared status ${status}`];
  if (isFault(described, status, text)) return [`fault ${status}`];
  const type = headers['content-type']?.split(';')[0] ?? '';
  if (status !== 204 && !Object.keys(declared.content ?? {}).includes(type))
    return [`undeclared type ${type}`];
  const reader = type === JSON_TYPE ? readers[status < 400 ? `${at} ${status}` : 'error'] : undefined;
  const [issue] = reader?.safeParse(json).error?.issues ?? [];
  return issue ? [`answer ${status} of another shape: ${issue.path.join('.')} ${issue.message}`] : [];
}

/** Whether an operation broke: one that can fail as a whole says so in words of its own. */
const isFault = ({ responses }: Described, status: number, text: string) =>
  status >= 500 &&
  (text.includes('"message":"Internal error"') ||
    (responses[status]?.$ref !== undefined && (status === 500 || status === 503)));

test(`${REQUESTS} generated requests get no fault, no undeclared status and no answer that breaks its schema`, async () => {
  const perOperation = Math.ceil(REQUESTS / fuzzed.length);
  const found = new Map<string, string>();
  const statuses = new Map<number, number>();
  let count = 0;
  const samples = fuzzed.map(({ described }, index) =>
    fc.sample(requestsOf(described), { numRuns: perOperation, seed: SEED + index }),
  );
  // Round after round, so that later requests meet what earlier ones stored.
  for (let round = 0; round < perOperation; round += 1) {
    for (const [index, { at, method, path, described }] of fuzzed.entries()) {
      const sent = samples[index]?.[round];
      if (!sent) continue;
      const target = targetOf(path, described, sent);
      const [type = ''] = Object.keys(described.requestBody?.content ?? {});
      const isForm = type.includes('form') && typeof sent.body === 'object' && sent.body !== null;
      const form = isForm && new URLSearchParams(sent.body as Record<string, string>).toString();
      const body = method === 'DELETE' && target.includes('?') ? undefined : sent.body;
      const answer = await service.send(
        'admin',
        method,
        target,
        isForm ? undefined : body,
        form ? { raw: form, headers: { 'Content-Type': type } } : {},
      );
      count += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      for (const what of faultsIn(at, described, answer)) {
        const request = `${method} ${target.slice(0, 300)} ${JSON.stringify(body)?.slice(0, 600) ?? ''}`;
        if (!found.has(`${at}: ${what}`))
          found.set(`${at}: ${what}`, `${request} → ${answer.text.slice(0, 400)}`);
      }
      if (answer.status < 300 && !path.startsWith('/authorization')) remember(answer.json);
    }
  }
  const figures = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  console.info(`${count} requests to ${fuzzed.length} operations, seed ${SEED}; ${figures.join(', ')}`);
  expect([...found].map(([what, request]) => `${what}\n  ${request}`)).toEqual([]);
  // A lost credential would make every later answer a refusal that says nothing.
  expect(statuses.get(401) ?? 0).toBeLessThan(count / 20);
}, 3_600_000);
