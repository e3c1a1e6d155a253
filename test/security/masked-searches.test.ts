import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { MAY_HOLD_SECRET } from '#db/masked-texts.ts';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/gateway/command-secrets.ts';
import { openConfiguration } from '../helpers/configuration.ts';
import { newReport } from '../helpers/documents/reports.ts';
import { lawRuns } from '../helpers/long.ts';
import { unique } from '../helpers/procedures.ts';

const { call, done, send, db } = await openConfiguration();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const decide = (configurationSecrets: string) =>
  call('admin', 'PUT', '/authorization/access_default', { unlisted: 'readers', configurationSecrets });
beforeAll(async () => expect((await decide('masked')).status).toBe(200));
afterAll(() => decide('shown'));

type Page = { total: number; list: { id: string; name: string; sha256?: string }[] };

async function backUp(name: string, rawConfig: string, description = ''): Promise<string> {
  const id = newId();
  const backup = { id, name, rawConfig, description, date: new Date().toISOString() };
  await done('POST', '/import/backups', { backups: [backup] });
  return id;
}
const search = (options: object, as: 'admin' | 'apiread' = 'apiread') =>
  done<Page>('POST', '/backups', { options }, { as });

async function treeWith(template: string): Promise<{ treeId: string; configId: string }> {
  const name = unique('tree');
  const { id: treeId } = await done<{ id: string }>('POST', '/configs', { name, deviceType: 'cisco-ios' });
  const place = { treeId, treeVersion: 'initial', nodePath: 'base' };
  await done('PUT', '/node/config', { ...place, data: { template, variables: {} }, updateVariables: false });
  const node = await done<{ attributes: { configId: string } }>('GET', `/configs/${treeId}/initial/base`);
  return { treeId, configId: node.attributes.configId };
}

test('a reader of masks cannot confirm a secret in a description by searching for it', async () => {
  const device = unique('searched');
  await backUp(device, 'hostname one\n', 'before the upgrade: snmp-server community Lantern2 RO');
  await backUp(device, 'hostname two\n', 'in the harbour');
  const found = async (description: string, as: 'admin' | 'apiread') =>
    (await search({ filter: { name: device, description } }, as)).total;
  for (const guess of ['Lantern2', 'community Lan', 'Lantern9', 'upgrade']) {
    expect(await found(guess, 'apiread'), guess).toBe(0);
  }
  expect(await found('Lantern2', 'admin')).toBe(1);
  expect(await found('harbour', 'apiread')).toBe(1);
});

test('the order of a list does not depend on secrets that its reader may not read', async () => {
  const device = unique('ordered');
  const ids = [];
  for (const letter of ['m', 'a', 'z'])
    ids.push(await backUp(device, `hostname ${letter}\n`, `password ${letter}`));
  const ordered = async (order: 1 | -1, as: 'admin' | 'apiread') =>
    (await search({ filter: { name: device }, sort: 'description', order }, as)).list.map(({ id }) => id);
  expect(await ordered(1, 'apiread')).toEqual(await ordered(-1, 'apiread'));
  expect(await ordered(1, 'admin')).toEqual([ids[1], ids[0], ids[2]]);
});

test('a reader of masks gets no hash of a text that it reads with masks', async () => {
  const device = unique('hashed');
  const text = 'hostname one\nsnmp-server community Lantern2 RO\n';
  const id = await backUp(device, text);
  expect((await search({ filter: { name: device } }, 'admin')).list[0]?.sha256).toBe(sha256(text));
  expect((await search({ filter: { name: device } })).list[0]?.sha256).toBe('********');
  expect((await send('GET', `/backups/${id}`, undefined, { as: 'apiread' })).text).not.toContain(
    sha256(text),
  );
});

test('a comparison shows a reader of masks neither secrets nor whether two of them differ', async () => {
  const community = (value: string) => `hostname one\nsnmp-server community ${value}\n`;
  const stored = await backUp(unique('compared'), community('Lantern2'));
  const { configId } = await treeWith(community('Lantern3'));
  const lookup = { id: configId, nextId: stored, collection: 'nodes', nextCollection: 'backups' };
  for (const type of ['word', 'line']) {
    const answer = await send('PUT', '/lookup_diff', { ...lookup, options: { type } }, { as: 'apiread' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toMatch(/Lantern|added":true|removed":true/);
  }
  const whole = await send('PUT', '/lookup_diff', lookup);
  expect(whole.text).toContain('Lantern2');
  expect(whole.text).toContain('Lantern3');
});

test('a reader of masks cannot try guesses against rules that hold a secret', async () => {
  const check = async (template: string, as: 'admin' | 'apiread') => {
    const { treeId } = await treeWith(template);
    const options = {
      ...{ treeId, version: 'initial', nodePath: 'base', deviceName: 'edge-1' },
      configuration: 'hostname one\nsnmp-server community Lantern2\n',
    };
    return send('POST', '/compliance_reports/config', { options }, { as });
  };
  const secret = 'snmp-server community Lantern2\n';
  const denied = await check(secret, 'apiread');
  expect(denied.status).toBe(403);
  expect(denied.text).toContain('getBackupWithSecrets');
  expect((await check(secret, 'admin')).status).toBe(200);
  expect((await check('hostname one\n', 'apiread')).status).toBe(200);
});

test('a reader of masks writes nothing that is applied to whole configurations: rules, their variables, parsers', async () => {
  const { treeId, configId } = await treeWith('hostname one\n');
  const place = { treeId, version: 'initial', nodePath: 'base' };
  const template = 'snmp-server community {/L.*/}\n';
  const variables = { guess: 'Lantern2' };
  const nodes = [{ treeId, version: 'initial', nodeId: configId, variables }];
  const version = await done<{ data: object[] }>('POST', '/export/goldenconfigs', { treeId });
  const lexRules = [['community L', 'comment']];
  const parser = { name: unique('parser'), template: 'cisco-ios' };
  await done('POST', '/configurations/parser', parser);
  const { id: planId } = await done<{ id: string }>('POST', '/compliance_plans', { name: unique('plan') });
  const asking: [string, string, object][] = [
    [
      'PUT',
      '/node/config',
      {
        treeId,
        treeVersion: 'initial',
        nodePath: 'base',
        data: { template, variables: {} },
        updateVariables: false,
      },
    ],
    ['POST', '/config_specs', { data: { deviceType: 'cisco-ios', template } }],
    ['PUT', `/config_specs/${configId}`, { data: { template } }],
    ['PUT', `/configs/${treeId}/initial`, { variables }],
    ['POST', '/import/goldenconfigs', { trees: [{ data: version.data }] }],
    ['POST', '/configurations/parser', { name: unique('parser'), template: 'cisco-ios', lexRules }],
    ['PUT', '/configurations/parser', { name: parser.name, options: { lexRules } }],
    ['POST', '/import/parsers', { parsers: [{ ...parser, name: unique('parser'), lexRules }] }],
    ['POST', '/compliance_plans', { name: unique('plan'), options: { nodes } }],
    ['PUT', '/compliance_plans', { planId, options: { nodes } }],
    ['POST', '/compliance_plans/nodes', { planId, nodes }],
    ['POST', '/import/plans', { plans: [{ name: unique('plan'), nodes }] }],
    ['POST', '/compliance_reports', { options: { ...place, devices: ['edge-1'], variables } }],
  ];
  for (const [method, path, body] of asking) {
    const denied = await send(method, path, body, { as: 'apiwrite' });
    expect([denied.status, path], denied.text).toEqual([403, path]);
    expect(denied.text).toContain('getBackupWithSecrets');
    const permitted = await send(method, path, body);
    expect([permitted.status, path], permitted.text).toEqual([200, path]);
  }
  const run = { options: { ...place, devices: ['edge-1'] } };
  expect((await send('POST', '/compliance_reports', run, { as: 'apiwrite' })).status).toBe(200);
});

test('an import that repeats a backup confirms no content to an account that may not read the backup', async () => {
  const readers = { read: ['000000000000000000000000'], write: [] };
  const plain = { id: newId(), name: unique('repeated'), rawConfig: 'hostname one\n' };
  const hidden = { id: newId(), name: unique('repeated'), rawConfig: 'hostname hidden\n' };
  await done('POST', '/import/backups', { backups: [plain, hidden] });
  await db.execute(
    sql`update backups set doc = jsonb_set(doc, '{gbac}', ${JSON.stringify(readers)}::text::jsonb) where id = ${hidden.id}`,
  );
  const repeat = (backup: object, as: 'admin' | 'apiwrite') =>
    send('POST', '/import/backups', { backups: [backup] }, { as });
  const same = await repeat(hidden, 'apiwrite');
  const guess = { ...hidden, rawConfig: 'hostname other\n' };
  const other = await repeat(guess, 'apiwrite');
  expect([same.status, other.status]).toEqual([409, 409]);
  expect({ ...(same.json as object), requestId: '' }).toEqual({ ...(other.json as object), requestId: '' });
  expect((await repeat(hidden, 'admin')).status).toBe(200);
  expect((await repeat(guess, 'admin')).status).toBe(409);
  expect((await repeat(plain, 'apiwrite')).status).toBe(200);
});

test('a reader of masks imports no backup with a secret, which would be compared with those that are masked', async () => {
  const name = unique('guessed');
  const id = await backUp(name, 'hostname one\nsnmp-server community Lantern2\n');
  const guesses = [
    { name, rawConfig: 'hostname one\nsnmp-server community Lantern2\n' },
    { id, name, rawConfig: 'hostname one\nsnmp-server community Lantern3\n' },
    { name, rawConfig: 'hostname one\n', description: 'snmp-server community Lantern2' },
  ];
  for (const guess of guesses) {
    const backups = [{ name: unique('plain'), rawConfig: 'hostname two\n' }, guess];
    const denied = await send('POST', '/import/backups', { backups }, { as: 'apiwrite' });
    expect(denied.status, denied.text).toBe(403);
    expect(denied.text).toContain('getBackupWithSecrets');
    expect(denied.text).not.toContain('Lantern');
  }
  expect((await search({ filter: { name } }, 'admin')).total).toBe(1);
  await done('POST', '/import/backups', { backups: [guesses[0]] });
  const readable = { name, rawConfig: 'hostname one\n', sha256: sha256('hostname one\n') };
  await done('POST', '/import/backups', { backups: [readable] }, { as: 'apiwrite' });
});

test('an approver who reads masks approves the hash of the masked text, and that of the whole text is rejected', async () => {
  const running = 'hostname one\n';
  const device = unique('approved');
  await backUp(device, running);
  const { treeId } = await treeWith('hostname one\nsnmp-server community Lantern2\n');
  const report = newReport({ treeId, deviceName: device, totals: [1, 0, 0, 1], configSha: sha256(running) });
  await storeReports(db, [report]);
  const request = { options: { reportIds: [report.id], severities: ['error', 'warning', 'info'] } };
  const { data } = await done<{ data: Remediation[] }>('POST', '/remediations', request);
  const [proposal] = data;
  expect(proposal?.config).toBe('snmp-server community Lantern2');
  const whole = proposal?.configSha256 ?? '';
  expect(whole).toBe(sha256('snmp-server community Lantern2'));
  const path = `/remediations/${proposal?.id}`;
  const shown = await done<Remediation>('GET', path, undefined, { as: 'engineering' });
  expect(shown.config).toBe('snmp-server community ********');
  expect(shown.configSha256).toBe(sha256(shown.config));
  expect(shown.baseSha256).toBe('********');
  const approve = (configSha256: string) =>
    send('POST', `${path}/approve`, { configSha256 }, { as: 'engineering' });
  expect((await approve(whole)).status).toBe(409);
  const approved = await approve(shown.configSha256);
  expect(approved.status, approved.text).toBe(200);
  expect(approved.text).not.toContain(whole);
  const stored = await done<Remediation>('GET', path);
  expect(stored.approvals[0]?.configSha256).toBe(whole);
  const after = await done<Remediation>('GET', path, undefined, { as: 'engineering' });
  expect(after.approvals[0]?.configSha256).toBe(shown.configSha256);
});

test('the search of all kinds finds no secret in a description for a reader of masks', async () => {
  const note = 'snmp-server community Lantern2 RO';
  const name = unique('described');
  const automation = {
    name,
    description: `${note} of ${name}`,
    componentType: 'workflows',
    componentId: null,
  };
  const made = await call('admin', 'POST', '/operations-manager/automations', automation);
  expect(made.status, made.text).toBe(200);
  const found = async (as: 'admin' | 'apiread', q: string) => {
    const { json } = await call(as, 'GET', `/search?q=${encodeURIComponent(q)}`);
    return (json as { total: number }).total;
  };
  expect(await found('admin', `Lantern2 RO of ${name}`)).toBe(1);
  expect(await found('apiread', `Lantern2 RO of ${name}`)).toBe(0);
  expect(await found('apiread', name)).toBe(1);
});

const CONFIGURATIONS = new URL('../fixtures/masked-configurations/', import.meta.url);
/** Parts of texts that masks recognise, nearly recognise, or must not care for. */
const PARTS = [
  ...[
    'password',
    'Secret',
    'passphrase',
    'community',
    'key',
    'key chain',
    'shared-key',
    'auth key',
    'pass',
    'des',
  ],
  ...[
    'sha-256',
    'md5',
    'token',
    'wpa2',
    'aes',
    'credential',
    'private-key',
    '-value',
    'api key',
    'description',
  ],
  ...[
    ' ',
    '\t',
    '\n',
    '\u00a0',
    '\u2003',
    '\ufeff',
    '=',
    ':',
    '"',
    "'",
    ']',
    '/',
    '://',
    '@',
    '<',
    '>',
    '</',
    'é',
    '.',
  ],
  ...[
    'scp://svc:',
    'x',
    'Lantern',
    '<password>',
    '<ns:auth-key>',
    '&gt;',
    '\\',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----END',
  ],
  ...[
    'snmp-server host',
    'standby',
    'authentication',
    'text',
    'ipsec spi 1',
    'hash2',
    'simple',
    'privacy-mode x',
  ],
  ...['cipher', 'set x ENC', '## SECRET-DATA', 'encrypted "', 'system user', '-encrypted', '-radKey', '$9$'],
  ...['radius auth add', 'ascii', 'mgmtuser add x', 'auth=key,', 'server-key', 'trap-group', '<key>', 'pwd'],
];

test('lists compare no text of which a part is masked', async () => {
  const texts = fc
    .sample(
      fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join('')),
      {
        numRuns: lawRuns(40_000, 5000).numRuns,
        seed: 7,
      },
    )
    .concat(
      [
        `${'x'.repeat(2000)}a://b`,
        '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nLantern',
        '-----BEGIN PGP PRIVATE KEY BLOCK-----\nLantern',
      ],
      PARTS.map((part) => `${part} Lantern`),
      readdirSync(CONFIGURATIONS).flatMap((file) =>
        readFileSync(new URL(file, CONFIGURATIONS), 'utf8').split('\n'),
      ),
    );
  const masked: string[] = [];
  for (const text of new Set(texts)) {
    if ((await withoutConfigurationSecrets(text)) !== text) masked.push(text);
  }
  expect(masked.length).toBeGreaterThan(500);
  const left = await rows<{ text: string }>(
    db,
    sql`select text from unnest(${textArray(masked)}) as text
        where not (text ~* ${MAY_HOLD_SECRET} or length(text) > 2000 and strpos(text, '://') > 0)`,
  );
  expect(left).toEqual([]);
});
