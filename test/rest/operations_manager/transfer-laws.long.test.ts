import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { sentJson } from '../../helpers/json.ts';
import { lawRuns } from '../../helpers/long.ts';
import { type Doc, openOperations } from '../../helpers/operations.ts';

const service = await openOperations();
const { done, store } = service;

const flow = await store('workflow', 'Flow of all');
const form = await store('jsonForm', 'Ports to open');
const turn = await store('transformation', 'Turns bodies');
const group = await service.groupOf();
const named = { name: `group ${group}`, provenance: 'local', description: `Members of ${group}` };

type File = Record<string, unknown> & { triggers: Record<string, unknown>[] };

async function roundTrip(given: unknown): Promise<File> {
  const { data } = await done<
    { success: boolean; message: string; data: Doc; triggers: { success: boolean; message: string }[] }[]
  >('PUT', '/automations', { automations: [given] });
  const [result] = data;
  const failed = [result, ...(result?.triggers ?? [])].find((one) => !one?.success);
  if (!result || failed) throw new Error(`the import failed: ${failed?.message}`);
  return (await done<File>('GET', `/automations/${result.data._id}/export`)).data;
}

/** Text that can be stored, and no name that JavaScript keeps for itself. */
const json = sentJson();

/** Members that nobody knows. */
const strange = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((name) => `x ${name}`),
  json,
  { maxKeys: 2, noNullPrototype: true },
);
const members = fc.dictionary(fc.constantFrom('a', 'b c', 'port'), json, { noNullPrototype: true });
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const author = fc.option(text, { nil: null });
const stamp = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2025-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const common = {
  name: word,
  description: text,
  enabled: fc.boolean(),
  actionType: fc.constant('automations'),
  created: stamp,
  createdBy: author,
  lastUpdated: stamp,
  lastUpdatedBy: author,
  migrationVersion: fc.nat({ max: 9 }),
};
const schema = fc.constantFrom(
  null,
  {},
  { type: 'object', required: ['a'], properties: { a: { pattern: '^x+$' } } },
);
const jst = fc.constantFrom(null, turn.id);
const formId = fc.constantFrom(null, form.id, form.name);
let routes = 0;
const fresh = fc.constant(null).map(() => `route-of-${routes++}.${newId()}`);

const own = fc.oneof(
  fc.record({
    type: fc.constant('manual'),
    formId,
    formData: fc.option(members),
    legacyWrapper: fc.boolean(),
  }),
  fc.record({ type: fc.constant('endpoint'), verb: fc.constant('POST'), routeName: fresh, schema, jst }),
  fc.record({ type: fc.constant('eventSystem'), source: word, topic: word, schema, jst, options: members }),
  fc.record({
    type: fc.constant('schedule'),
    firstRunAt: fc.nat({ max: 8e12 }),
    repeatUnit: fc.constantFrom(null, 'minute', 'hour', 'day', 'week', 'month', 'year'),
    repeatFrequency: fc.option(fc.integer({ min: 1, max: 100 })),
    repeatInterval: fc.option(fc.integer({ min: 1000, max: 1e9 })),
    processMissedRuns: fc.constantFrom(null, 'none', 'last', 'all'),
    formId,
  }),
);
const trigger = fc
  .tuple(strange, fc.record(common), own)
  .map(([more, known, typed]) => ({ ...more, ...known, ...typed }));

const file = fc
  .tuple(
    strange,
    fc.record({
      name: word,
      description: text,
      componentName: fc.constant(flow.name),
      componentType: fc.constant('workflows'),
      gbac: fc.constantFrom(
        { read: [], write: [] },
        { read: [], write: [named] },
        { read: [named], write: [named] },
      ),
      created: stamp,
      createdBy: author,
      lastUpdated: stamp,
      lastUpdatedBy: author,
    }),
    fc.array(trigger, { maxLength: 5 }),
  )
  .map(([more, known, triggers]) => ({ ...more, ...known, triggers }));

/** Ids as an export of ours has them. */
function identified(given: typeof file extends fc.Arbitrary<infer Made> ? Made : never): File {
  const _id = newId();
  return {
    ...given,
    _id,
    name: `${given.name} ${_id}`,
    triggers: given.triggers.map((one) => ({ ...one, _id: newId(), actionId: _id })),
  };
}

test('exporting an import returns the imported automation, with its triggers and unknown fields', async () => {
  await fc.assert(
    fc.asyncProperty(file.map(identified), async (given) => {
      const triggers = given.triggers.map((one) => ({ legacyWrapper: true, ...one }));
      expect(await roundTrip(given)).toEqual({ ...given, triggers });
    }),
    lawRuns(60),
  );
});

test('an import of an export as a copy is the same but for ids, name and routes', async () => {
  const essence = ({ _id, name, triggers, ...rest }: File) => ({
    ...rest,
    triggers: triggers.map(({ _id: own, actionId, routeName, ...members }) => members),
  });
  await fc.assert(
    fc.asyncProperty(file.map(identified), async (given) => {
      const first = await roundTrip(given);
      const copy = await roundTrip({ ...first, _id: newId() });
      expect(essence(copy)).toEqual(essence(first));
      expect(copy.name).toBe(`${first.name} (1)`);
    }),
    lawRuns(30),
  );
});

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const shared = ['../../../../shared/data/exports', '../../../../../shared/data/exports']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

if (!shared) {
  console.warn('real automations: absent (looked for ../shared/data/exports/automations)');
  test.skip('no real exports lie beside this checkout: only invented automations were imported', () =>
    undefined);
}

type Project = { _id: string; name: string };

async function importProject(project: Project): Promise<void> {
  const answer = await service.sendAt('admin', 'POST', '/automation-studio/projects/import', { project });
  if (answer.status !== 200) throw new Error(`${project.name}: ${answer.text}`);
}

describe.runIf(shared)('real exports', () => {
  const read = <Content>(folder: string) =>
    shared
      ? readdirSync(`${shared}/${folder}`)
          .filter((one) => one.endsWith('.json'))
          .map((one) => JSON.parse(readFileSync(`${shared}/${folder}/${one}`, 'utf8')) as Content)
      : [];
  const files = read<File & { name: string; componentName: string }>('automations');
  const owners = read<Project>('projects');

  test('the folder has exports', () => expect(files.length).toBeGreaterThan(0));

  test.each(files.map((one) => ({ name: one.name, one })))(
    '$name is imported and exported without loss',
    async ({ one }) => {
      const owner = owners.find(({ _id }) => one.componentName.startsWith(`@${_id}: `));
      if (!owner) throw new Error(`no project for ${one.componentName}`);
      await importProject(owner);
      expect(await roundTrip(one)).toEqual(one);
    },
  );
});
