import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBackup } from '#db/backup/write.ts';
import { rows } from '#db/client.ts';
import { GIT_KINDS } from '#db/schemas/git/remote.ts';
import { workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { operations } from '#server/http/operations.ts';
import { startTracing } from '#server/kernel/observability/trace.ts';
import { makeFolder } from '../helpers/folder.ts';
import { missingForGit, openRepository, serveHttp } from '../helpers/git/repositories.ts';
import { callEach } from '../helpers/http/batches.ts';
import { inputOf } from '../helpers/http/generated-input.ts';
import { listenTo } from '../helpers/jobs/events.ts';
import { roleId, sendAs, signIn } from '../helpers/people.ts';
import { openEchoingSystem } from '../helpers/secrets/echoing-system.ts';
import { plantingsOf, secretsOf } from '../helpers/secrets/planted.ts';
import { openService } from '../helpers/service.ts';

type Json = Record<string, unknown>;

const dataDir = await makeFolder();
const service = await openService({ DATA_DIR: dataDir }, { works: true });
const echoing = await openEchoingSystem();
const planted = secretsOf();
const plantings = plantingsOf(planted, echoing.port);
const spans: unknown[] = [];
afterAll(startTracing((span) => void spans.push(span)));

/** What was read since secrets were looked for last, with where: answers, events. */
const read: [place: string, text: string][] = [];
/** The operations that succeeded at least once. */
const answered = new Set<string>();
/** Ids and names of what was stored. */
const subjects: { id: string; name: string }[] = [];

const as = (token: string | null) => async (operation: string, input: Json) => {
  const answer = token
    ? await sendAs(service, token, 'POST', `/trpc/${operation}`, input)
    : await service.send('admin', 'POST', `/trpc/${operation}`, input);
  read.push([operation, answer.text]);
  if (answer.status === 200) answered.add(operation);
  return { status: answer.status, text: answer.text, data: dataOf(answer.json) };
};
const dataOf = (json: unknown): Json => {
  const { data = {} } = (json as { result?: { data: Json } }).result ?? {};
  return data;
};
const call = as(null);

/** Remembers ids and names in an answer, two levels deep. */
function remember(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 2) return;
  const { _id, id, runId, client_id, name, username } = value as Record<string, unknown>;
  const [known] = [_id, id, runId, client_id, name].filter((one) => typeof one === 'string');
  if (typeof known === 'string') subjects.push({ id: known, name: String(name ?? username ?? known) });
  for (const one of Object.values(value)) remember(one, depth + 1);
}

/** Lines of the log in which secrets were looked for. */
let searchedLines = 0;

/** Every place of a secret in what was read or logged since the last call, or in a row of any table. */
async function places(): Promise<string[]> {
  const found = (place: string, text: string) =>
    planted.kept.flatMap((secret) => {
      const at = text.indexOf(secret);
      return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 160), at + 30)}`];
    });
  const tables = await rows<{ name: string }>(
    service.db,
    sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(60);
  const stored: string[] = [];
  for (const { name } of tables) {
    const all = await rows<{ row: string }>(
      service.db,
      sql`select t::text as row from ${sql.raw(name)} t
          where t::text like any(${sql.param(planted.kept.map((secret) => `%${secret}%`))}::text[])`,
    );
    stored.push(...all.flatMap(({ row }) => found(name, row)));
  }
  const lines = service.logged.slice(searchedLines);
  searchedLines += lines.length;
  const shown = [...read.splice(0), ...lines.map((line): [string, string] => ['log', line])];
  return [...new Set([...shown.flatMap(([place, text]) => found(place, text)), ...stored])];
}

/** A person with every kind of credential; those that are shown once are planted too. */
async function plantCredentials() {
  const username = `planted-${randomUUID()}`;
  const person = { username, password: `pass-${randomUUID()}` };
  const account = { ...person, assignedRoles: [{ roleId: await roleId(service, 'admin') }] };
  const added = await service.send('admin', 'POST', '/authorization/accounts', { account });
  expect(added.status, added.text).toBe(200);
  const { _id } = (added.json as { data: { _id: string } }).data;
  const session = await signIn(service, person);
  const own = as(session);
  const token = (await own('session.createToken', { name: 'planted' })).data.token as string;
  const factor = await sendAs(service, session, 'POST', '/user/second_factor', { password: person.password });
  const { secret } = factor.json as { secret: string };
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const confirmed = await sendAs(service, session, 'POST', '/user/second_factor/confirm', { code });
  const { recoveryCodes } = confirmed.json as { recoveryCodes: string[] };
  const made = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: 'planted-robot' },
  });
  const { client_id, client_secret } = (made.json as { results: Record<string, string> }).results;
  const issued = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const { access_token } = issued.json as { access_token: string };
  planted.kept.push(
    person.password,
    session,
    token,
    secret,
    ...recoveryCodes,
    `${client_secret}`,
    access_token,
  );
  // They are shown once, here.
  read.length = 0;
  subjects.push({ id: _id, name: username }, { id: `${client_id}`, name: 'planted-robot' });
}

/** What makes the platform use its secrets: most of it ends at the system that repeats them. */
async function useThem(): Promise<void> {
  const idsOf = async (operation: string) => {
    const { data, text } = await call(operation, {});
    const found = Object.values(data).find((value) => Array.isArray(value));
    if (!found) throw new Error(`${operation}: ${text}`);
    return (found as { _id?: string; id?: string }[]).map(({ _id, id }) => String(_id ?? id));
  };
  for (const id of await idsOf('notifications.listChannels')) await call('notifications.testChannel', { id });
  for (const name of ['planted', 'planted-role'])
    await call('secrets.testProvider', { name, path: 'lab', key: 'password' });
  for (const id of await idsOf('signIn.listProviders')) await call('signIn.testProvider', { id });
  for (const id of await idsOf('git.listRemotes')) await call('git.push', { id });
  for (const id of await idsOf('inventory.listSources')) {
    await call('inventory.previewSource', { id });
    await call('inventory.syncSource', { id });
  }
  for (const name of ['planted-orchestrator', 'planted-rest']) {
    await call('adapters.testAdapter', { name });
    await call('adapters.syncAdapter', { name });
  }
  for (const integration of ['planted-key', 'planted-sign']) {
    await call('integrations.testIntegration', { name: integration, task: 'listDevices' });
    await call('integrations.runTask', { integration, task: 'listDevices', values: {} });
  }
  await call('automationgateway.testHost', { name: 'planted-cli' });
  await call('automationgateway.sendCommand', { host: 'planted-cli', command: 'show version' });
  const [job] = await idsOf('operationsManager.listJobs');
  await expect
    .poll(async () => (await call('operationsManager.getJob', { jobId: job })).text)
    .toMatch(/"status":"(complete|error)"/);
}

/** The input again, with a member that does not exist at every level and each secret in a list. */
const broken = (input: unknown): unknown => {
  if (typeof input === 'string')
    return planted.kept.some((secret) => input.includes(secret)) ? [input] : input;
  if (Array.isArray(input)) return input.map(broken);
  if (typeof input !== 'object' || input === null) return input;
  const members = Object.entries(input).map(([name, value]) => [name, broken(value)]);
  return { ...Object.fromEntries(members), 'no such member': true };
};

const reader = { cut: () => undefined as unknown, text: () => '' };
beforeAll(async () => {
  const { token } = await service.callerWith('admin');
  Object.assign(reader, await listenTo(service.url, { token }));
  await call('outgoing.replaceTargets', { targets: [{ host: '127.0.0.1' }] });
  for (const { operation, input } of plantings) {
    const { status, text, data } = await call(operation, input);
    expect(status, `${operation} ${JSON.stringify(input)}: ${text}`).toBe(200);
    remember(data);
  }
  const { data } = await call('operationsManager.listAutomations', {});
  const [automation] = data.data as { _id: string }[];
  const trigger = {
    ...{ name: 'Planted', type: 'manual', actionType: 'automations', actionId: automation?._id },
    formData: { password: planted.secret('Form') },
  };
  const made = await call('operationsManager.createTrigger', { trigger });
  expect(made.status, made.text).toBe(200);
  remember(made.data);
  await plantCredentials();
});
afterAll(() => reader.cut());

test('every secret that is used reaches the other system, and none comes back', async () => {
  await useThem();
  const sent = echoing.received.join(' ');
  const missing = planted.kept.filter(
    (secret) =>
      /^Planted(Source|HookToken|slack|teams|Pager|Vault|Approle|Rest|Key|Sign|Variable)/.test(secret) &&
      !sent.includes(secret),
  );
  expect(missing).toEqual([]);
  expect(await places()).toEqual([]);
});

test('an orchestrator that repeats the credential shows none to an admin', async () => {
  const params = { path: '/restconf/data/tailf-ncs:devices', accept: 'application/yang-data+json' };
  const before = echoing.received.length;
  await call('orchestratorManager.restQuery', { adapterId: 'planted-orchestrator', params });
  const action = { adapterId: 'planted-orchestrator', params: { ...params, method: 'POST' }, body: {} };
  await call('orchestratorManager.restAction', action);
  expect(echoing.received.slice(before).join(' ')).toContain(
    planted.kept.find((secret) => secret.startsWith('PlantedOrchestrator')),
  );
  expect(await places()).toEqual([]);
});

test('no rejection repeats a secret', async () => {
  const rejected: number[] = [];
  for (const { operation, input } of plantings) {
    rejected.push((await call(operation, broken(input) as Json)).status);
    rejected.push((await call(operation, input)).status);
  }
  expect(rejected.filter((status) => status >= 400 && status < 500).length).toBeGreaterThan(plantings.length);
  expect(await places()).toEqual([]);
});

test('no operation that reads, exports or lists shows a secret to an admin', async () => {
  const READS = /\.(get|list|find|search|export|count|preview|has|read)/i;
  const APART = new Set(['events.stream', 'session.signOutByLink']);
  const tried = operations.filter(
    ({ name, procedure }) => !APART.has(name) && (procedure._def.type === 'query' || READS.test(name)),
  );
  for (const operation of tried) {
    const { name, input } = operation;
    const inputs = subjects.flatMap(({ id, name: called }) => [
      inputOf(input, { wide: false, text: (member) => (/id$/i.test(member) ? id : called) }),
      inputOf(input, { wide: false, text: () => id }),
    ]);
    const several = new Map([{}, ...inputs].map((one) => [JSON.stringify(one), one]));
    for await (const { status, text } of callEach(service.send, 'admin', operation, [...several.values()])) {
      read.push([name, text]);
      if (status === 200) answered.add(name);
    }
  }
  for (const { name } of tried) await call('lists.exportAsCsv', { list: name });
  const metrics = await service.send('admin', 'GET', '/prometheus_metrics');
  read.push(['metrics', metrics.text], ['events', reader.text()]);
  const succeeded = tried.filter(({ name }) => answered.has(name)).length;
  console.info(
    `planted secrets: ${succeeded} of ${tried.length} operations answer, ${read.length} answers are read`,
  );
  expect(succeeded).toBeGreaterThan(100);
  expect(await places()).toEqual([]);
}, 300_000);

test('no filter and no order of a list tells whether a guess of a secret is right', async () => {
  for (const { listed, input } of plantings) {
    if (!listed) continue;
    const [list, field] = listed;
    const secret = planted.kept.find((one) => JSON.stringify(input).includes(one)) ?? '';
    for (const guess of ['equals', 'startsWith', 'contains'])
      for (const queryOptions of [
        { [guess]: secret, [`${guess}Field`]: field },
        { [guess]: { [field]: secret.slice(0, guess === 'equals' ? undefined : 12) } },
        { sort: field },
      ]) {
        const answer = await call(list, { queryOptions });
        const found = /"total":(\d+)/.exec(answer.text)?.[1];
        expect(
          answer.status === 400 || found === '0' || 'sort' in queryOptions,
          `${list} ${JSON.stringify(queryOptions)}: ${answer.text.slice(0, 300)}`,
        ).toBe(true);
      }
  }
});

test.skipIf(missingForGit.length > 0)(
  'no span of telemetry, archive, backup file or file in a Git repository holds a secret',
  async () => {
    expect(spans.length).toBeGreaterThan(20);
    read.push(['telemetry', inspect(spans, { depth: 10, maxArrayLength: null, maxStringLength: null })]);

    const file = join(dataDir, 'planted.backup');
    const { connection } = service;
    await writeBackup({ connection, file, release: 'test', keyFingerprint: null, print: () => undefined });
    const saved = gunzipSync(await readFile(file)).toString('utf8');
    expect(saved).toContain('planted-cli');
    read.push(['backup file', saved]);

    const repository = openRepository();
    await repository.opened;
    const url = await serveHttp(repository.folder, 'robot', planted.secret('Repository'));
    const remote = {
      ...{ name: 'planted-repository', url: `${url}/network/config.git`, branch: 'main', direction: 'push' },
      ...{ kinds: GIT_KINDS, credential: { username: 'robot', token: planted.kept.at(-1) } },
    };
    const { data } = await call('git.createRemote', { remote });
    const { _id: id } = data.data as { _id: string };
    const pushed = await call('git.push', { id });
    const { runId } = pushed.data as { runId: string };
    await expect.poll(async () => (await call('git.getRun', { runId })).data.status).not.toBe('running');
    const paths = await repository.paths();
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) read.push([`Git ${path}`, await repository.text(path)]);
    read.push(['Git log', await repository.git('log', '-p', 'main')]);

    const kinds = ['jobs', 'audit', 'events', 'history'];
    const settings = Object.fromEntries(kinds.map((kind) => [kind, { days: 30 }]));
    await call('retention.replaceSettings', settings);
    const old = '2020-01-01T00:00:00.000Z';
    for (const [table, member] of [
      ['audit', 'time'],
      ['gateway_calls', 'started'],
      ['jobs', 'last_updated'],
    ] as const)
      await rows(
        service.db,
        sql`update ${sql.identifier(table)} set doc = doc || jsonb_build_object(${member}::text, ${old}::text)`,
      );
    await rows(service.db, sql`update events set time = ${old}::timestamptz`);
    const started = await call('retention.run', {});
    const log = pino({ level: 'silent' });
    const directory = join(dataDir, 'archive');
    await workOnRetention({ db: service.db, directory, log, now: () => new Date() });
    const folder = join(directory, `${started.data.runId}`);
    const archives = await readdir(folder);
    const texts = await Promise.all(archives.map((name) => readFile(join(folder, name), 'utf8')));
    expect(texts.join('')).toContain('planted-cli');
    read.push(...texts.map((text, at): [string, string] => [`archive ${archives[at]}`, text]));
    expect(await places()).toEqual([]);
  },
);
