import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { operations } from '#server/http/operations.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { openTreeReports } from '../helpers/documents/tree-reports.ts';
import { isForAdmins } from '../helpers/http/audiences.ts';
import { type Called, callEach } from '../helpers/http/batches.ts';
import { inputOf } from '../helpers/http/generated-input.ts';
import { marksOf, type Subject, storeTenant } from '../helpers/http/tenants.ts';

const service = await openTreeReports();
const { db, call } = service;

/** Every role but admin, and no group of the tenant. */
const STRANGER = ROLES.filter((role) => role !== 'admin');
/** Every role but admin, and the group of the tenant: proves that the documents can be found at all. */
const MEMBER = [...STRANGER].reverse();

/** They end the stranger's session, throttle his sign-in, or do not end; other tests are about them. */
const EXCLUDED = new Set([
  'events.stream',
  'oauth.issueToken',
  'session.signIn',
  'session.signOut',
  'session.signOutByLink',
]);

/** They dial the tenant's device for whoever may read it, and wait for its answer. */
const DIALING = new Set(['configurationManager.isDeviceAlive']);

const marks = marksOf();
let subjects: Subject[] = [];
let ids: string[] = [];
let known: Record<string, string> = {};

beforeAll(async () => {
  const group = await service.groupOf(MEMBER);
  const tenant = await storeTenant(service, marks, group);
  subjects = tenant.subjects;
  const { treeId, specId, device, planId, reportId } = tenant.members;
  ids = [...new Set(subjects.map(({ id }) => id))];
  known = {
    treeId,
    version: 'initial',
    treeVersion: 'initial',
    base: 'initial',
    nodePath: 'base',
    parentNodePath: 'base',
    specId,
    nodeId: specId,
    planId,
    reportId,
    device,
    devices: device,
    deviceName: device,
    deviceType: 'cisco-ios',
    collection: 'nodes',
    nextCollection: 'nodes',
  };
});

type Json = Record<string, unknown>;

/** Lists, searches, filters and orders in every dialect: where one is not understood, the answer is 400. */
const queries = (): Json[] => [
  {},
  { limit: 1000 },
  { contains: marks.name, containsField: 'name' },
  { startsWith: marks.name, startsWithField: 'name' },
  { contains: { name: marks.name } },
  { 'starts-with': { name: marks.name } },
  { multiContains: { name: marks.name } },
  { filter: { name: marks.name } },
  { filter: { name: `^${marks.name}` }, regex: true },
  { filter: { deviceName: known.deviceName } },
  { filter: { treeId: known.treeId } },
  { sort: 'name', order: -1, limit: 1000 },
  { sort: { name: -1 }, limit: 1000 },
  { sort: [{ name: -1 }], limit: 1000 },
];

/** Every input that an operation is called with, each once; one where the stranger and the member are denied anyway. */
function inputsOf(operation: (typeof operations)[number]): Json[] {
  const { input } = operation;
  const plain = [
    {},
    { q: marks.name },
    { substring: marks.name },
    { name: marks.name },
    { treeId: known.treeId },
    { deviceName: known.deviceName },
    { searchParams: {} },
    { filter: { name: marks.name } },
    ...queries().flatMap((query) => ['queryOptions', 'options'].map((member) => ({ [member]: query }))),
  ].filter((one) => Object.keys(one).every((member) => member in input.shape));
  const about = subjects.flatMap((subject) =>
    [
      { wide: false, text: (member: string) => known[member] ?? subject.id },
      { wide: false, text: (member: string) => (/id$/i.test(member) ? subject.id : subject.name) },
      { wide: true, text: (member: string) => (/name/i.test(member) ? subject.name : subject.id) },
    ].map((filling) => inputOf(input, filling)),
  );
  const all = [...new Map([...plain, ...about].map((one) => [JSON.stringify(one), one])).values()];
  return isForAdmins(operation) ? all.slice(0, 1) : all;
}

const figures = { calls: 0, answered: 0, rejected: 0 };

/** What of the tenant's documents is in the answer, and was not in the request. */
function leaksOf(name: string, input: Json, { status, text }: Called, reported: readonly string[]): string[] {
  const requested = JSON.stringify(input);
  figures.calls += 1;
  if (status === 200) figures.answered += 1;
  else figures.rejected += 1;
  const leaked = reported.filter((mark) => text.includes(mark) && !requested.includes(mark));
  // The description of the interface has it as an example.
  if (text.includes('Internal error') && name !== 'health.getOpenApi') leaked.push('Internal error');
  // A total reveals something too.
  const total = /"total(?:Count)?":([1-9]\d*)/.exec(text);
  if (total && requested.includes(marks.name) && status === 200) leaked.push(`a total of ${total[1]}`);
  return leaked.map((mark) => {
    const at = text.indexOf(mark);
    return `${name} ${requested.slice(0, 200)} -> ${status} ${mark}: ${text.slice(Math.max(0, at - 100), at + 60)}`;
  });
}

const isMutation = ({ procedure }: (typeof operations)[number]) => procedure._def.type === 'mutation';
const requested = operations.filter(({ name }) => !EXCLUDED.has(name));

test('the same reads return documents of the tenant to its member, so that they can reveal them', async () => {
  const found: string[] = [];
  for (const operation of requested.filter((one) => !isMutation(one) && !DIALING.has(one.name))) {
    for await (const { input, text } of callEach(call, MEMBER, operation, inputsOf(operation))) {
      const sent = JSON.stringify(input);
      if (![marks.name, marks.text, ...ids].some((mark) => text.includes(mark) && !sent.includes(mark)))
        continue;
      found.push(operation.name);
      break;
    }
  }
  console.log(`cross-tenant: a member reads documents through ${found.length} operations`);
  expect(found.length).toBeGreaterThanOrEqual(70);
}, 600_000);

test('no read of any operation reveals another tenant’s documents to a stranger', async () => {
  const leaks: string[] = [];
  for (const operation of requested.filter((one) => !isMutation(one))) {
    const found: string[] = [];
    for await (const answer of callEach(call, STRANGER, operation, inputsOf(operation)))
      found.push(...leaksOf(operation.name, answer.input, answer, [marks.name, marks.text, ...ids]));
    leaks.push(...found.slice(0, 3));
  }
  console.log(`cross-tenant reads: ${JSON.stringify(figures)}, leaks: ${leaks.length}`);
  expect(leaks).toEqual([]);
}, 600_000);

/** Every document of every table that bears a mark, as it is stored. */
async function documentsWithMarks(): Promise<Map<string, string>> {
  const tables = await rows<{ name: string }>(
    db,
    sql`select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = current_schema() and c.column_name = 'doc' and t.table_type = 'BASE TABLE'
          and c.table_name <> 'audit' order by 1`,
  );
  const all = new Map<string, string>();
  for (const { name } of tables) {
    const found = await rows<{ id: string; doc: string }>(
      db,
      sql`select id, doc::text as doc from ${sql.identifier(name)} where strpos(doc::text, ${marks.text}) > 0`,
    );
    for (const { id, doc } of found) all.set(`${name} ${id}`, doc);
  }
  return all;
}

test('no write of a stranger changes or reveals another tenant’s documents', async () => {
  const before = await documentsWithMarks();
  expect(before.size).toBeGreaterThan(15);
  Object.assign(figures, { calls: 0, answered: 0, rejected: 0 });
  const leaks: string[] = [];
  for (const operation of requested.filter(isMutation)) {
    const found: string[] = [];
    // Names and ids that the stranger sent before may be in documents of his own by now.
    for await (const answer of callEach(call, STRANGER, operation, inputsOf(operation)))
      found.push(...leaksOf(operation.name, answer.input, answer, [marks.text]));
    leaks.push(...found.slice(0, 3));
  }
  console.log(`cross-tenant writes: ${JSON.stringify(figures)}, leaks: ${leaks.length}`);
  expect(leaks).toEqual([]);
  const after = await documentsWithMarks();
  expect([...before.keys()].filter((key) => after.get(key) !== before.get(key))).toEqual([]);
}, 600_000);
