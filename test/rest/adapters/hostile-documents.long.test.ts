import { afterAll, describe, expect, test } from 'vitest';
import { publicDocuments } from '../../helpers/integrations/openapi-documents.ts';
import { openService } from '../../helpers/service.ts';

const { send } = await openService();

/**
 * Number of mutated documents, the same in each run: each kind of mutation meets each odd value dozens of times.
 * `HOSTILE_DOCUMENTS=10000` tries as many as the design of integrations asks for.
 */
const COUNT = Number(process.env.HOSTILE_DOCUMENTS ?? 2500);
/**
 * Longest document that is mutated, in characters; most of the public ones are shorter. A mutation changes a few places: the
 * longer the document, the more of the time goes into the others.
 */
const LARGEST = 16_000;
/** Longest time in milliseconds in which a document must be answered, on a machine that others use too. */
const LONGEST_MS = 30_000;
/** Most memory in MiB by which the process may grow. */
const MOST_MIB = 700;

let sent = 0;
let failed = 0;
let longest = 0;
let accepted = 0;
let peak = 0;
const before = process.memoryUsage().rss;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 50);
afterAll(() => {
  clearInterval(watch);
  process.stdout.write(
    `hostile documents: ${sent} sent, ${failed} answers of 500 or more, ${accepted} accepted, longest ${Math.round(longest)} ms, memory +${Math.round((peak - before) / 2 ** 20)} MiB\n`,
  );
});

/** Validates a text as a document. @returns the status */
async function validated(text: string, type = 'application/json'): Promise<number> {
  const began = performance.now();
  const { status } = await send('admin', 'PUT', '/integration-models/validation', undefined, {
    raw: text,
    headers: { 'Content-Type': type },
  });
  longest = Math.max(longest, performance.now() - began);
  sent += 1;
  if (status >= 500) failed += 1;
  if (status === 200) accepted += 1;
  return status;
}

/** Returns pseudo-random numbers below 1 that are the same in every run (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ODD = [
  ...[null, true, -1, 1e308, '', '\u0000', '{}', '{id}', '{id}{id}', '#/paths', '#', '../x.yaml#/a'],
  ...['http://169.254.169.254/#/a', [], {}, [[]], { $ref: '#' }, { $ref: '#/components/schemas/Loop' }],
  ...[0, { $ref: '#/paths' }, { $ref: 'http://127.0.0.1:1/a' }, [{ $ref: '#/info' }]],
  ...[{ get: { parameters: [null] } }, 'x'.repeat(5000)],
  ...[
    { $ref: 5 },
    { allOf: [{ $ref: '#/components/schemas/Loop' }] },
    '__proto__',
    'constructor',
    'é'.repeat(3000),
  ],
];

type Place = { of: Record<string, unknown> | unknown[]; key: string | number };

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    const place = Array.isArray(value) ? Number(key) : key;
    found.push({ of: value as Record<string, unknown>, key: place });
    placesIn((value as Record<string, unknown>)[key], found);
  }
  return found;
}

/** Returns a document with some of its values removed, renamed, moved or replaced by odd ones. */
function mutated(document: object, random: () => number): string {
  const copy = structuredClone(document);
  const pick = <One>(from: readonly One[]) => from[Math.floor(random() * from.length)] as One;
  const places = placesIn(copy);
  for (let left = 1 + Math.floor(random() * 6); left > 0; left -= 1) {
    const { of, key } = pick(places);
    const at = of as Record<string | number, unknown>;
    const other = pick(places);
    switch (Math.floor(random() * 5)) {
      case 0:
        delete at[key];
        break;
      case 1:
        at[key] = pick(ODD);
        break;
      case 2:
        Object.defineProperty(at, String(pick(ODD)), {
          value: at[key],
          enumerable: true,
          configurable: true,
        });
        break;
      case 3:
        at[key] = { $ref: `#/${String(other.key).replaceAll('~', '~0').replaceAll('/', '~1')}` };
        break;
      default:
        at[key] = JSON.parse(
          JSON.stringify((other.of as Record<string | number, unknown>)[other.key] ?? null),
        );
    }
  }
  const text = JSON.stringify(copy);
  // Some are cut off as texts are when a connection breaks.
  return random() < 0.05 ? text.slice(0, Math.floor(random() * text.length)) : text;
}

const small = publicDocuments()
  .map(({ document }) => document)
  .filter((document) => JSON.stringify(document).length < LARGEST);

test(
  'mutated documents are validated or rejected, none with a status of 500 or more and none without end',
  async () => {
    expect(small.length).toBeGreaterThan(5);
    const random = numbersFrom(16);
    for (let made = 0; made < COUNT; ) {
      const batch = Array.from({ length: Math.min(8, COUNT - made) }, () =>
        mutated(small[Math.floor(random() * small.length)] as object, random),
      );
      const statuses = await Promise.all(batch.map((text) => validated(`{"model":${text}}`)));
      for (const [at, status] of statuses.entries())
        expect(status, batch[at]?.slice(0, 2000)).toBeLessThan(500);
      made += batch.length;
    }
    expect(longest).toBeLessThan(LONGEST_MS);
    expect((peak - before) / 2 ** 20).toBeLessThan(MOST_MIB);
  },
  60 * 60_000,
);

const wrapped = (schemas: object, schema: object = { $ref: '#/components/schemas/A' }) =>
  JSON.stringify({
    model: {
      openapi: '3.0.3',
      info: { title: 'Deep', version: '1' },
      paths: {
        '/a': { post: { operationId: 'a', requestBody: { content: { 'application/json': { schema } } } } },
      },
      components: { schemas },
    },
  });
const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);
const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [`S${at}`, { $ref: `#/components/schemas/S${(at + 1) % length}` }]),
  );

describe('a document that is built to exhaust its reader', () => {
  test.each<[string, string, string?]>([
    ['refers to itself', wrapped({ A: { $ref: '#/components/schemas/A' } })],
    ['refers in a ring of 10,000', wrapped(chain(10_000), { $ref: '#/components/schemas/S0' })],
    [
      'doubles with each of 60 references',
      wrapped(
        Object.fromEntries(
          Array.from({ length: 60 }, (_, at) => [
            at === 0 ? 'A' : `A${at}`,
            {
              allOf: [
                { $ref: `#/components/schemas/A${at + 1}` },
                { $ref: `#/components/schemas/A${at + 1}` },
              ],
            },
          ]),
        ),
      ),
    ],
    [
      'has schemas 50,000 deep',
      wrapped({ A: 0 }).replace('"A":0', `"A":${nested(50_000, '{"items":', '{}', '}')}`),
    ],
    ['is a list 100,000 deep', `{"model":${nested(100_000, '[', '', ']')}}`],
    [
      'has 20,000 paths',
      JSON.stringify({
        model: {
          openapi: '3.0.3',
          info: { title: 'Wide', version: '1' },
          paths: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`/p${at}`, { get: {} }])),
        },
      }),
    ],
    [
      'has aliases that grow to a billion values',
      `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`).join('')}`,
      'application/yaml',
    ],
    [
      'has a million aliases',
      `openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths: {}\nx: &x {a: 1}\ny: [${Array.from({ length: 1_000_000 }, () => '*x').join(',')}]\n`,
      'application/yaml',
    ],
    ['has an anchor that holds itself', 'a: &a [*a]\n', 'application/yaml'],
    [
      'has a tag that names a function',
      'a: !!js/function "function () { process.exit(1) }"\n',
      'application/yaml',
    ],
  ])('is answered in time: one that %s', async (_, text, type) => {
    expect(await validated(text, type)).toBeLessThan(500);
    expect((await send('admin', 'GET', '/integration-models?limit=1')).status).toBe(200);
  });
});
