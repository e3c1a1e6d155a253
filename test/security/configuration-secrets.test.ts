import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/gateway/command-secrets.ts';
import { PlainText } from '#server/kernel/json-text.ts';
import { maskInThread } from '#server/kernel/secrets/mask-in-thread.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { cpuTime } from '../helpers/cpu-time.ts';
import { isLong } from '../helpers/long.ts';
import { createPerson, sendAs, signIn } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const CONFIG = [
  'hostname edge-1',
  'username ops privilege 15 secret 9 $9$Lantern1',
  'snmp-server community Lantern2 RO',
  'service password-encryption',
  'interface Ethernet1',
  ' description key chain of the harbour',
  'crypto isakmp key Lantern3 address 192.0.2.1',
  'archive path scp://svc:Lantern4@192.0.2.9/x',
  '-----BEGIN RSA PRIVATE KEY-----',
  'Lantern5',
  '-----END RSA PRIVATE KEY-----',
  'end',
].join('\n');
let ids: string[] = [];
const decide = (configurationSecrets: string) =>
  service.send('admin', 'PUT', '/authorization/access_default', {
    unlisted: 'readers',
    configurationSecrets,
  });

beforeAll(async () => {
  const backup = (name: string, rawConfig: string) => ({
    name,
    provider: 'gateway',
    type: 'native',
    date: '2026-02-03T04:05:06.789Z',
    rawConfig,
  });
  const made = await service.send('admin', 'POST', '/configuration_manager/import/backups', {
    backups: [backup('edge-1', CONFIG), backup('edge-2', CONFIG.replace('Lantern2', 'Lantern6'))],
  });
  expect(made.status, made.text).toBe(200);
  const found = await service.send('admin', 'POST', '/configuration_manager/backups', { options: {} });
  ids = (found.json as { list: { id: string }[] }).list.map(({ id }) => id);
  expect(ids).toHaveLength(2);
});
afterAll(() => decide('shown'));

const read = async (token: string, among = 'backups') =>
  (await sendAs(service, token, 'GET', `/configuration_manager/${among}/${ids[0]}`)).text;
const diff = async (token: string) => {
  const lookup = { id: ids[0], nextId: ids[1], collection: 'backups', nextCollection: 'backups' };
  return (await sendAs(service, token, 'PUT', '/configuration_manager/lookup_diff', lookup)).text;
};

test('configurations are shown verbatim until an admin has their secrets masked', async () => {
  const reader = await signIn(service, await createPerson(service, ['apiread']));
  expect(await read(reader)).toContain('Lantern1');
  expect(await diff(reader)).toMatch(/Lantern[26]/);
  expect((await decide('masked')).status).toBe(200);
  const masked = await read(reader);
  expect(masked).not.toContain('Lantern');
  expect(masked).toContain('hostname edge-1');
  expect(await diff(reader)).not.toContain('Lantern');
  expect(
    (await sendAs(service, reader, 'GET', `/configuration_manager/backups_with_secrets/${ids[0]}`)).status,
  ).toBe(403);
});

test('an admin, and a user with the named permission, still read them', async () => {
  await decide('masked');
  const admin = await signIn(service, await createPerson(service, ['admin']));
  expect(await read(admin)).toContain('Lantern1');
  const methods = ['getBackup', 'getBackupWithSecrets'].map((name) => ({
    name,
    provenance: 'ConfigurationManager',
  }));
  const role = await service.send('admin', 'POST', '/authorization/roles', {
    role: { name: 'secret reader', allowedMethods: methods, allowedViews: [] },
  });
  expect(role.status, role.text).toBe(200);
  const person = await signIn(service, await createPerson(service, ['secret reader']));
  expect(await read(person)).toContain('Lantern1');
  expect(await read(person, 'backups_with_secrets')).toContain('Lantern5');
});

test('masking keeps every line and what holds no secret', async () => {
  const masked = await withoutConfigurationSecrets(CONFIG);
  expect(masked.split('\n')).toEqual([
    'hostname edge-1',
    'username ops privilege 15 secret ********',
    'snmp-server community ********',
    'service password-encryption',
    'interface Ethernet1',
    ' description key chain of the harbour',
    'crypto isakmp key ********',
    'archive path scp://svc:********@192.0.2.9/x',
    '-----BEGIN RSA PRIVATE KEY-----',
    '********',
    '-----END RSA PRIVATE KEY-----',
    'end',
  ]);
});

test.each([
  ['<password>Lantern</password>', '<password>********</password>'],
  ['        "password": "Lantern",', '        "password": ********'],
  ['encrypted-password "$6$Lantern"; ## SECRET-DATA', 'encrypted-password ********'],
])('the secret in %s is masked', async (line, masked) => {
  expect(await withoutConfigurationSecrets(line)).toBe(masked);
});

const KEY = ['MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgwMbRvI0MBZhpI', 'LanternLanternLant0Q=='];
const [BEGIN, END] = ['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----'];

test.each([
  // a key whose lines are escaped in one word, as JSON, F5 and the set form of Junos have it
  [`set local x "${BEGIN}\\n${KEY.join('\\n')}\\n${END}\\n"`, `set local x "${BEGIN}********${END}\\n"`],
  [`x { "${BEGIN}\n${KEY.join('\n')}\n${END}\n"; }`, `x { "${BEGIN}\n********\n********\n${END}\n"; }`],
  [`set security certificates local x ${KEY[0]}`, 'set security certificates local x ********'],
  [`delete security certificates local x ${KEY[0]}`, 'delete security certificates local x ********'],
  ['set interfaces ge-0/0/0 description Harbour', 'set interfaces ge-0/0/0 description Harbour'],
])('a private key in PEM is masked in %s', async (text, masked) => {
  expect(await withoutConfigurationSecrets(text)).toBe(masked);
});

test('a line of a key in PEM is masked where it stands alone, also a short one with padding', async () => {
  const answer = {
    lines: [{ words: [KEY[0]] }, { words: [{ value: KEY[1] }] }, { words: ['shutdown'] }],
    issues: [{ parents: [], message: `Disallowed line is present: ${KEY[1]}` }],
  };
  const masked = await maskedAnswer(answer, withoutConfigurationSecrets);
  expect(masked).toEqual({
    lines: [{ words: ['********'] }, { words: [{ value: '********' }] }, { words: ['shutdown'] }],
    issues: [{ parents: [], message: 'Disallowed line is present: ********' }],
  });
});

test('lines that are joined in a cell of a file are shown behind one that has its mask', async () => {
  const cell = 'line vty 0 4 > password ******** > exec-timeout 5 > password Lantern > x';
  const csv = new PlainText(`edge-1,${cell}\r\n`, 'text/csv');
  expect(((await maskedAnswer(csv, withoutConfigurationSecrets)) as PlainText).text).toBe(
    'edge-1,line vty 0 4 > password ******** > exec-timeout 5 > password ********\r\n',
  );
});

test('a long line without blanks is masked in a moment', async () => {
  const began = cpuTime();
  await withoutConfigurationSecrets(`${'a'.repeat(2_000_000)}://x password Lantern`);
  await withoutConfigurationSecrets('password '.repeat(100_000));
  await withoutConfigurationSecrets('-----BEGIN PRIVATE KEY-----\n'.repeat(2000));
  await withoutConfigurationSecrets(`set ${'a '.repeat(1_000_000)}`);
  await withoutConfigurationSecrets('password ******** > '.repeat(100_000));
  expect(cpuTime() - began).toBeLessThan(10_000);
});

test.skipIf(!isLong)('a large configuration and a long CSV are masked completely', async () => {
  await decide('masked');
  const large = Array.from(
    { length: 40_000 },
    (_, n) =>
      `interface Ethernet${n}\n description link ${n} ${'to the harbour '.repeat(4)}\n snmp-server community Lantern${n} RO`,
  ).join('\n');
  const backups = [
    {
      name: 'large-1',
      provider: 'gateway',
      type: 'native',
      date: '2026-02-03T04:05:06.789Z',
      rawConfig: large,
    },
  ];
  const made = await service.send('admin', 'POST', '/configuration_manager/import/backups', { backups });
  expect(made.status, made.text).toBe(200);
  const found = await service.send('admin', 'POST', '/configuration_manager/backups', {
    options: { filter: { name: 'large-1' } },
  });
  const [{ id = '' } = {}] = (found.json as { list: { id: string }[] }).list;
  const reader = await signIn(service, await createPerson(service, ['apiread']));
  const asks: [string, string, unknown?][] = [
    ['GET', `/configuration_manager/backups/${id}`],
    ['POST', '/configuration_manager/backups/find/csv', { text: 'description link' }],
  ];
  for (const [method, path, body] of asks) {
    const answer = await sendAs(service, reader, method, path, body);
    expect(answer.status, path).toBe(200);
    expect(answer.text.length).toBeGreaterThan(4_000_000);
    expect(answer.text).not.toMatch(/Lantern\d/);
    expect(answer.text).toContain('description link 39999');
  }
});

test.skipIf(!isLong)(
  'a long answer is masked in a thread, so that the event loop serves others',
  async () => {
    const cells = Array.from(
      { length: 50_000 },
      (_, n) => `edge-${n},${n},"username u${n} secret Lantern${n}"`,
    );
    const answer = new PlainText(cells.join('\r\n'), 'text/csv');
    const elsewhere = maskInThread(false);
    // The thread starts once.
    await elsewhere('text', 'warm');
    const active = async (masked: () => Promise<unknown>) => {
      const before = performance.eventLoopUtilization();
      const { text } = (await masked()) as PlainText;
      return { ms: performance.eventLoopUtilization(before).active, text };
    };
    const here = await active(() => maskedAnswer(answer, withoutConfigurationSecrets));
    const there = await active(() => maskedAnswer(answer, withoutConfigurationSecrets, elsewhere));
    expect(there.text).toBe(here.text);
    expect(there.text).not.toContain('Lantern');
    expect(there.ms).toBeLessThan(here.ms / 2);
  },
);

test('an event stream holds masks for an account that reads masks', async () => {
  await decide('masked');
  const reader = await signIn(service, await createPerson(service, ['apiread']));
  const stream = await fetch(`${service.url}/events?topics=configurationChanged&subjects=masked-1`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  expect(stream.status).toBe(200);
  await inTransaction(service.db, (tx) =>
    publish(tx, [
      {
        source: '@switchyard/configurations',
        topic: 'configurationChanged',
        kind: 'tree',
        subjects: ['masked-1'],
        payload: { kind: 'tree', change: 'updated', name: 'snmp-server community Lantern8 RO' },
      },
    ]),
  );
  let text = '';
  for await (const part of stream.body ?? []) {
    text += Buffer.from(part).toString();
    if (text.includes('masked-1') || text.includes('snmp-server')) break;
  }
  expect(text).toContain('snmp-server community ********');
  expect(text).not.toContain('Lantern8');
});
