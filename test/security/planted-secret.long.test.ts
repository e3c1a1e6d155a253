import { beforeAll, expect, test } from 'vitest';
import { listNames, listReaderOf } from '#server/http/lists.ts';
import { operations } from '#server/http/operations.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { openTreeReports } from '../helpers/documents/tree-reports.ts';
import { isForAdmins } from '../helpers/http/audiences.ts';
import { callEach } from '../helpers/http/batches.ts';
import { inputOf } from '../helpers/http/generated-input.ts';
import { type Subject, storeTenant } from '../helpers/http/tenants.ts';

const service = await openTreeReports();
const { call } = service;

const SECRET = 'PlantedLantern7';
/** Every text of the documents is a line of a configuration with a secret. */
const marks = { name: 'planted-document', text: `snmp-server community ${SECRET} RO` };

/** Every role but admin: it reads all of the documents, and may not read secrets. */
const READER = ROLES.filter((role) => role !== 'admin');

/** Areas of documents that authors write in the studio: their descriptions are no configurations of devices. */
const AUTHORED = new Set([
  'automationStudio',
  'jsonForms',
  'prebuilts',
  'search',
  'templateBuilder',
  'transformations',
]);

/** They end the session, dial a device, or never end. */
const EXCLUDED = new Set(['events.stream', 'session.signOutByLink', 'configurationManager.isDeviceAlive']);

/** Writes whose answer is what they read: comparisons, previews, searches. */
const READS =
  /\.(get|list|find|search|lookup|preview|render|test|export|diff|compare|translate|apply|parse|check)/i;

const reads = operations.filter(
  (operation) =>
    !isForAdmins(operation) &&
    !EXCLUDED.has(operation.name) &&
    !AUTHORED.has(operation.name.split('.', 1)[0] ?? '') &&
    (operation.procedure._def.type === 'query' || READS.test(operation.name)),
);

let subjects: Subject[] = [];
let known: Record<string, string> = {};

beforeAll(async () => {
  const group = await service.groupOf(READER);
  const tenant = await storeTenant(service, marks, group);
  subjects = tenant.subjects;
  const { treeId, specId, device, planId, reportId } = tenant.members;
  known = {
    ...{ treeId, specId, nodeId: specId, planId, reportId, device, devices: device, deviceName: device },
    ...{
      version: 'initial',
      treeVersion: 'initial',
      base: 'initial',
      nodePath: 'base',
      parentNodePath: 'base',
    },
    ...{ deviceType: 'cisco-ios', collection: 'backups', nextCollection: 'backups' },
    ...{ text: 'snmp-server', regex: 'snmp-server' },
  };
});

const decide = async (configurationSecrets: 'masked' | 'shown') => {
  const rule = { unlisted: 'readers', configurationSecrets };
  const answer = await call('admin', 'PUT', '/authorization/access_default', rule);
  expect(answer.status, answer.text).toBe(200);
};

type Json = Record<string, unknown>;

function inputsOf({ input }: (typeof operations)[number]): Json[] {
  const plain = [
    {},
    { text: 'snmp-server' },
    { regex: 'community' },
    { treeId: known.treeId },
    { options: {} },
  ].filter((one) => Object.keys(one).every((member) => member in input.shape));
  const about = subjects.flatMap((subject) =>
    [
      { wide: false, text: (member: string) => known[member] ?? subject.id },
      { wide: false, text: (member: string) => (/id$/i.test(member) ? subject.id : subject.name) },
    ].map((filling) => inputOf(input, filling)),
  );
  return [...new Map([...plain, ...about].map((one) => [JSON.stringify(one), one])).values()];
}

/** Returns how each operation shows the secret to a reader, at its first input that does. */
async function showing(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const operation of reads) {
    for await (const { input, text } of callEach(call, READER, operation, inputsOf(operation))) {
      const start = text.indexOf(SECRET);
      if (start < 0 || JSON.stringify(input).includes(SECRET)) continue;
      found.set(operation.name, text.slice(Math.max(0, start - 120), start + 40));
      break;
    }
  }
  return found;
}

test('a reader sees a planted secret through many operations while secrets are shown, and through none while they are masked', async () => {
  await decide('shown');
  const shown = [...(await showing()).keys()];
  console.log(`planted secret: ${shown.length} of ${reads.length} operations show it: ${shown.join(', ')}`);
  expect(shown.length).toBeGreaterThanOrEqual(15);
  await decide('masked');
  expect([...(await showing())]).toEqual([]);
}, 600_000);

test('a search does not reveal to a reader of masks whether a guess is right', async () => {
  await decide('masked');
  for (const guess of [
    { text: SECRET },
    { regex: 'community Planted.*' },
    { text: `community ${SECRET.slice(0, 4)}` },
  ]) {
    const { status, text } = await call(READER, 'POST', '/trpc/configurationManager.findInBackups', guess);
    expect(status, text).toBe(200);
    expect(text).toContain('"total":0');
  }
  const found = await call(READER, 'POST', '/trpc/configurationManager.findInBackups', {
    text: 'snmp-server',
  });
  expect(found.text).toContain('snmp-server community ********');
});

/** What people write about documents: masked where it is shown, and searched as it is written (decision 0112). */
const WRITTEN = new Set(['description', 'notes']);

test('no filter of a list reveals to a reader of masks whether a guess is right', async () => {
  await decide('masked');
  /** Guesses of a part, and of the beginning of a configuration; the right one is the first. */
  const guesses = [
    [SECRET, SECRET.replaceAll(/[a-z]/g, 'x')],
    ['hostname snmp-server community Planted', 'hostname snmp-server community Qlanted'],
  ] as const;
  /** A question for a text in a field, in each form that lists accept. */
  const formsOf = (field: string): ((guess: string) => Json)[] => [
    (guess) => ({ queryOptions: { contains: { [field]: guess } } }),
    (guess) => ({ queryOptions: { contains: guess, containsField: field } }),
    (guess) => ({ queryOptions: { 'starts-with': { [field]: guess } } }),
    (guess) => ({ options: { filter: { [field]: guess } } }),
    (guess) => ({ options: { regexp: { [field]: guess } } }),
    (guess) => ({ options: { searchParams: { [field]: guess } } }),
    (guess) => ({ options: { [field]: guess } }),
    (guess) => ({ filter: { [field]: guess } }),
    (guess) => ({ regex: guess, fields: [field] }),
    (guess) => ({ [field]: guess }),
  ];
  /** Asks a list each question with each guess; undefined: it does not accept the question. */
  const ask = async (
    list: (typeof operations)[number],
    forms: readonly ((guess: string) => Json)[],
    about: readonly string[],
  ) => {
    const inputs = forms.flatMap((form) => about.map((guess) => form(guess)));
    const answers: (string | undefined)[] = [];
    for await (const { status, text } of callEach(call, READER, list, inputs)) {
      const guess = about[answers.length % about.length] ?? '';
      answers.push(status === 200 ? withoutTimes(text.replaceAll(guess, 'GUESS')) : undefined);
    }
    return forms.map((_, at) => answers.slice(at * about.length, (at + 1) * about.length));
  };
  const found: string[] = [];
  let filtered = 0;
  for (const name of listNames().filter((one) => !AUTHORED.has(one.split('.', 1)[0] ?? ''))) {
    const list = operations.find((one) => one.name === name);
    if (!list) throw new Error(`no operation ${name}`);
    // A member that the operation does not have is rejected, whatever it holds.
    const hasMembers = (form: (guess: string) => Json) =>
      Object.keys(form('any')).every((member) => member in list.input.shape);
    const fields = [...(listReaderOf(name)?.fields ?? []), 'text', 'config', 'template', 'rawConfig'];
    const forms = fields
      .filter((one) => !WRITTEN.has(one))
      .flatMap((field) => formsOf(field).map((form, at) => ({ form, title: `${name} ${field} ${at}` })))
      .filter(({ form }) => hasMembers(form));
    const any = await ask(
      list,
      forms.map(({ form }) => form),
      ['any'],
    );
    // A form that this list rejects reveals nothing.
    const accepted = forms.filter((_, at) => any[at]?.[0] !== undefined);
    filtered += accepted.length;
    const shown = await ask(
      list,
      accepted.map(({ form }) => form),
      guesses.flat(),
    );
    for (const [at, { title }] of accepted.entries()) {
      const [right, wrong, begins, other] = shown[at] ?? [];
      if (right !== wrong) found.push(`${title}: ${right}`);
      if (begins !== other) found.push(`${title}: ${begins}`);
    }
  }
  console.log(`guesses: ${filtered} of the filters are accepted`);
  expect(filtered).toBeGreaterThan(50);
  expect(found).toEqual([]);
}, 600_000);

/** An answer without times, which differ between any two of them. */
const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');

test('a writer who reads masks cannot store them in place of the secrets', async () => {
  await decide('masked');
  const template = `hostname ${marks.name}\nsnmp-server community ********\n`;
  const input = {
    treeId: known.treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template, variables: {} },
    updateVariables: false,
  };
  const rejected = await call(READER, 'POST', '/trpc/configurationManager.setNodeConfig', input);
  expect(rejected.status, rejected.text).toBe(400);
  expect(rejected.text).toContain('masked_secret');
  const admin = await call('admin', 'POST', '/trpc/configurationManager.setNodeConfig', input);
  expect(admin.status, admin.text).toBe(200);
  // A body of this size is read in pieces.
  const long = { name: marks.name, rawConfig: 'interface Ethernet0/1\n'.repeat(250_000) };
  const masked = { name: marks.name, rawConfig: 'snmp-server community ********\n' };
  const imported = await call(READER, 'POST', '/configuration_manager/import/backups', {
    backups: [long, masked],
  });
  expect(imported.status, imported.text).toBe(400);
  expect(JSON.parse(imported.text).issues).toMatchObject([
    { path: ['backups', 1, 'rawConfig'], code: 'masked_secret' },
  ]);
});
