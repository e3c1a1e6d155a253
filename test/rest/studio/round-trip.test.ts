import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { tableOf } from '#server/domains/assets/stored/references.service.ts';
import { asset } from '../../helpers/documents/assets.ts';
import { sentJson } from '../../helpers/json.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openStudio } from '../../helpers/studio.ts';

const { done, db } = await openStudio();

type Doc = Record<string, unknown> & { name: string };

/** JSON as it travels, that can be stored. */
const json = sentJson();

/** Members that nobody knows. */
const strange = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((name) => `x ${name}`),
  json,
  { maxKeys: 3, noNullPrototype: true },
);
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const textOrNull = fc.option(text, { nil: null });
const list = (member: fc.Arbitrary<unknown>) => fc.array(member, { maxLength: 3 });
const name = fc.uuid().map((id) => `Réseau / ${id}`);
const id = fc.stringMatching(/^[0-9a-f]{24}$/);
const stamp = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2025-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const author = fc.oneof(text, id);

/** Each of these members or not, and some that nobody knows. */
const documents = (
  required: Record<string, fc.Arbitrary<unknown>>,
  more: Record<string, fc.Arbitrary<unknown>>,
) =>
  fc
    .tuple(
      fc.record({ name, ...required }),
      fc.record({ description: textOrNull, tags: list(text), version: text, ...more }, { requiredKeys: [] }),
      strange,
    )
    .map(([one, two, three]): Doc => ({ ...three, ...two, ...one }));

const stamps = { created: stamp, createdBy: author, lastUpdated: stamp, lastUpdatedBy: author };
const open = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(fc.record(members, { requiredKeys: [] }), strange).map(([known, more]) => ({ ...more, ...known }));
const distinct = (key: string) =>
  fc.uniqueArray(
    fc.tuple(fc.stringMatching(/^[a-z]{1,6}$/), strange).map(([value, more]) => ({ ...more, [key]: value })),
    { selector: (one) => one[key], maxLength: 3 },
  );

/** What an export gives, without what an import writes anew. */
const essence = ({ created, createdBy, lastUpdated, lastUpdatedBy, ...doc }: Doc) => doc;

/** Import a document, read it, delete it, import what was read: what is read then is the same. */
async function roundTrip(
  given: Doc,
  {
    put,
    get,
    remove,
  }: {
    put: (doc: Doc) => Promise<string>;
    get: (id: string) => Promise<Doc>;
    remove: (id: string) => Promise<unknown>;
  },
) {
  const first = await get(await put(given));
  await remove(String(first._id));
  const again = await put(first);
  const second = await get(again);
  await remove(again);
  return { first, second };
}

const RUNS = lawRuns(25);

test('templates come back as they were exported', async () => {
  const path = '/automation-studio/templates';
  const template = documents(
    {
      _id: id,
      group: text.filter((group) => group.trim() !== ''),
      type: fc.constantFrom('textfsm', 'jinja2'),
    },
    { ...stamps, template: textOrNull, command: textOrNull, data: textOrNull },
  );
  await fc.assert(
    fc.asyncProperty(template, async (given) => {
      const { first, second } = await roundTrip(given, {
        put: async (doc) => {
          const { imported } = await done<{ imported: { created: { _id: string } }[] }>(
            'POST',
            `${path}/import`,
            {
              templates: [doc],
            },
          );
          return imported[0]?.created._id ?? '';
        },
        get: (one) => done<Doc>('GET', `${path}/${one}/export`),
        remove: (one) => done('DELETE', `${path}/${one}`),
      });
      expect(first).toMatchObject(given);
      expect(second).toEqual(first);
    }),
    RUNS,
  );
});

test('transformations come back as they were exported', async () => {
  const body = { incoming: distinct('$id'), outgoing: distinct('$id'), steps: distinct('id') };
  const functions = distinct('id').chain((all) =>
    fc.constant(all.map((one) => ({ ...one, name: one.id, functions: [] }))),
  );
  const transformation = documents(
    { _id: id },
    { ...stamps, ...body, functions, comments: list(strange), view: strange },
  );
  await fc.assert(
    fc.asyncProperty(transformation, async (given) => {
      const { first, second } = await roundTrip(given, {
        put: async (doc) => (await done<{ _id: string }>('POST', '/transformations/import', doc))._id,
        get: (one) => done<Doc>('GET', `/transformations/${one}`),
        remove: (one) => done('DELETE', `/transformations/${one}`),
      });
      expect(essence(first)).toMatchObject(essence(given));
      expect(second).toEqual(first);
    }),
    RUNS,
  );
});

test('forms come back as they were exported', async () => {
  const form = documents(
    { id },
    {
      ...stamps,
      struct: strange,
      schema: strange,
      uiSchema: strange,
      bindingSchema: strange,
      validationSchema: strange,
    },
  );
  await fc.assert(
    fc.asyncProperty(form, async (given) => {
      const { first, second } = await roundTrip(given, {
        put: async (doc) => {
          const { imported } = await done<{ imported: { created: { _id: string } }[] }>(
            'POST',
            '/json-forms/import/forms',
            { forms: [doc] },
          );
          return imported[0]?.created._id ?? '';
        },
        get: (one) => done<Doc>('GET', `/json-forms/forms/${one}`),
        remove: (one) => done('DELETE', '/json-forms/forms', { ids: [one] }),
      });
      expect(first).toMatchObject({ ...given, _id: given.id });
      expect(second).toEqual(first);
    }),
    RUNS,
  );
});

const rules = list(
  open({
    rule: text,
    eval: fc.constant('contains'),
    severity: fc.constantFrom('error', 'warning', 'info'),
  }).map((one) => ({ rule: 'x', eval: '!contains', ...one })),
);
const commands = list(
  open({ command: text, passRule: fc.boolean(), rules }).map((one) => ({ command: 'c', ...one })),
);
const prepostCommands = list(
  open({
    preRawCommand: text,
    passRule: fc.boolean(),
    rules: list(open({ type: text, preRegex: fc.constantFrom('a+', '(x)'), evaluator: text })),
  }),
);

test.each([
  [
    'command',
    'templates',
    '/mop/deleteTemplate',
    documents({}, { os: text, passRule: fc.boolean(), commands }),
  ],
  ['analytic', 'analytic', '/mop/deleteAnalyticTemplate', documents({}, { os: text, prepostCommands })],
])(
  '%s templates come back as they were exported, but for their stamps',
  async (_, type, removal, template) => {
    await fc.assert(
      fc.asyncProperty(template, async (given) => {
        const { first, second } = await roundTrip(given, {
          put: async (doc) =>
            (await done<{ _id: string }>('POST', '/mop/import', { type, template: doc }))._id,
          get: (one) => done<Doc>('POST', '/mop/export', { type, options: { _id: one } }),
          remove: (one) => done('POST', `${removal}/${encodeURIComponent(one)}`),
        });
        // What is read carries both, whether or not they came.
        const reported = { description: '', namespace: null };
        expect(essence(first)).toEqual({ ...reported, ...given, _id: given.name });
        expect(essence(second)).toEqual(essence(first));
      }),
      RUNS,
    );
  },
);

test('a created form is returned with every given field, unknown ones included', async () => {
  const given = asset('jsonForm', 'Created', { oddity: { deep: [null, { x: 1 }] } });
  const { doc } = await done<{ doc: Doc }>('POST', '/json-forms/forms', given);
  expect(doc).toMatchObject(given);
});

test.each([
  ['POST', '/automation-studio/automations', 'automation', 'workflow'],
  ['POST', '/automation-studio/automations/import', 'automations', 'workflow'],
  ['POST', '/automation-studio/templates', 'template', 'template'],
  ['POST', '/automation-studio/templates/import', 'templates', 'template'],
  ['POST', '/transformations', null, 'transformation'],
  ['POST', '/transformations/import', null, 'transformation'],
  ['POST', '/json-forms/forms', null, 'jsonForm'],
  ['POST', '/json-forms/import/forms', 'forms', 'jsonForm'],
  ['POST', '/mop/createTemplate', 'mop', 'mopCommandTemplate'],
  ['POST', '/mop/import', 'template', 'mopCommandTemplate'],
] as const)('%s %s: null in a field that may be absent says that it is', async (method, path, wrap, kind) => {
  const spare = { _id: null, id: null, tags: null, created: null, lastUpdated: null, os: null, view: null };
  const doc = { ...asset(kind, `null ${crypto.randomUUID()}`), ...spare, version: null, oddity: null };
  const wrapped = wrap === null ? doc : { [wrap]: wrap.endsWith('s') ? [doc] : doc };
  const body = path === '/mop/import' ? { ...wrapped, type: 'templates' } : wrapped;
  await done(method, path, body);
  const [stored] = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from ${tableOf(kind)} where name = ${doc.name}`,
  );
  const kept = JSON.parse(stored?.doc ?? '{}');
  expect(kept).toMatchObject({ name: doc.name, oddity: null });
  expect(kept.tags ?? []).toEqual([]);
  expect(kept.created).not.toBeNull();
});

test.each([
  ['/automation-studio/templates/import', 'templates', 'template'],
  ['/json-forms/import/forms', 'forms', 'jsonForm'],
  ['/transformations/import', null, 'transformation'],
] as const)('%s: an id that cannot be kept here is replaced', async (path, wrap, kind) => {
  for (const id of ['', 'an id of elsewhere', crypto.randomUUID()]) {
    const doc = { ...asset(kind, `foreign ${crypto.randomUUID()}`), _id: id, id };
    await done('POST', path, wrap === null ? doc : { [wrap]: [doc] });
    const [stored] = await rows<{ id: string }>(
      db,
      sql`select id from ${tableOf(kind)} where name = ${doc.name}`,
    );
    expect(stored?.id).toMatch(/^[0-9a-f]{24}$/);
  }
});
