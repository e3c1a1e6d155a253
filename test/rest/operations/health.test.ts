import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { insertJobs } from '#server/domains/workflow/jobs/store/new-job.service.ts';
import { keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { RELEASE } from '#server/kernel/config.ts';
import { noteCertificate } from '#server/kernel/observability/certificate-end.ts';
import { openMetrics } from '#server/kernel/observability/metrics.ts';
import { clearDegraded, markDegraded } from '#server/kernel/observability/part-status.ts';
import packageLock from '../../../package-lock.json' with { type: 'json' };
import { openService } from '../../helpers/service.ts';
import { workflowOf } from '../../helpers/workflows.ts';
import { openAuthority } from '../../lab/certificates.ts';

const service = await openService();
const get = (path: string) => service.send('apiread', 'GET', path);
const memory = {
  rss: expect.any(Number),
  heapTotal: expect.any(Number),
  heapUsed: expect.any(Number),
  external: expect.any(Number),
  arrayBuffers: expect.any(Number),
};

describe('GET /health/server', () => {
  test('identifies this very process, unformatted', async () => {
    const { status, json } = await get('/health/server');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      version: RELEASE,
      release: expect.stringMatching(/^20\d\d\.\d+\.\d+$/),
      arch: process.arch,
      platform: process.platform,
      pid: process.pid,
      versions: { ...process.versions, http_parser: process.versions.llhttp },
      memoryUsage: memory,
    });
  });
  test('is measured for each request', async () => {
    const first = (await get('/health/server')).json as { uptime: number; cpuUsage: { user: number } };
    // The system counts CPU time in ticks: use some, so that the next figure cannot be the same.
    const enough = process.cpuUsage().user + 50_000;
    while (process.cpuUsage().user < enough);
    const second = (await get('/health/server')).json as typeof first;
    expect(second.uptime).toBeGreaterThan(first.uptime);
    expect(Number.isInteger(second.uptime)).toBe(false);
    expect(second.cpuUsage.user).toBeGreaterThan(first.cpuUsage.user);
    expect(second.uptime).toBeCloseTo(process.uptime(), 0);
  });
  test('has every documented key of versions and dependencies, as text', async () => {
    const { versions, dependencies } = (await get('/health/server')).json as Record<
      string,
      Record<string, string>
    >;
    const keys =
      'node v8 uv zlib brotli ares modules nghttp2 napi llhttp http_parser openssl cldr icu tz unicode acorn ada cjs_module_lexer simdutf undici uvwasi';
    for (const key of keys.split(' ')) expect(versions?.[key], key).toMatch(/./);
    const parts = 'audit-trail event-system network service logger database utils';
    expect(Object.keys(dependencies ?? {}).sort()).toEqual(
      parts
        .split(' ')
        .map((part) => `@vendor/${part}`)
        .sort(),
    );
    const installed = (name: 'hono' | 'pino' | 'postgres' | 'zod' | '@trpc/server') =>
      packageLock.packages[`node_modules/${name}`].version;
    expect(dependencies).toEqual({
      '@vendor/audit-trail': RELEASE,
      '@vendor/event-system': RELEASE,
      '@vendor/network': installed('hono'),
      '@vendor/service': installed('@trpc/server'),
      '@vendor/logger': installed('pino'),
      '@vendor/database': installed('postgres'),
      '@vendor/utils': installed('zod'),
    });
  });
  test('takes no parameters', async () => {
    expect((await get('/health/server?stray=1')).text).toContain('stray');
    expect((await get('/health/server?stray=1')).status).toBe(400);
  });
});

describe('GET /health/status', () => {
  const status = async (query = '') =>
    (await service.send(null, 'GET', `/health/status${query}`)).json as Record<string, unknown>;
  test('needs no credential and shows no version', async () => {
    const reported = await status();
    expect(reported).toMatchObject({
      apps: 'running',
      adapters: 'running',
      services: [{ service: 'database', status: 'running' }],
      host: expect.any(String),
      serverId: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(Number(reported.timestamp)).toBeCloseTo(Date.now(), -4);
    expect(JSON.stringify(reported)).not.toContain(RELEASE);
    expect(reported.serverId).toBe((await status()).serverId);
  });
  test('leaves the services out on request', async () => {
    expect(await status('?exclude-services=true')).not.toHaveProperty('services');
    expect(await status('?exclude-services=false')).toHaveProperty('services');
  });
  test('reports that the database does not answer, and does not fail', async () => {
    const away = await openService();
    await away.db.execute(sql`alter table applications rename to elsewhere`);
    const answer = await away.send(null, 'GET', '/health/status');
    expect(answer).toMatchObject({
      status: 200,
      json: {
        apps: 'stopped',
        adapters: 'stopped',
        services: [{ service: 'database', status: 'stopped' }],
      },
    });
  });
});

describe('probes', () => {
  const ok = { status: 'ok', checks: { database: 'ok', migrations: 'ok', workers: 'ok' } };
  const probe = async (one: typeof service, path: string) => {
    const { status, json } = await one.send(null, 'GET', `/health/${path}`);
    return { status, json };
  };

  test('live and ready ask for no credential and say that all is well', async () => {
    expect(await probe(service, 'live')).toEqual({ status: 200, json: ok });
    expect(await probe(service, 'ready')).toEqual({ status: 200, json: ok });
  });
  test('a thread that does not answer degrades both', async () => {
    markDegraded('durable work');
    try {
      const json = { status: 'degraded', checks: { ...ok.checks, workers: 'degraded' } };
      expect(await probe(service, 'live')).toEqual({ status: 200, json });
      expect(await probe(service, 'ready')).toEqual({ status: 200, json });
    } finally {
      clearDegraded('durable work');
    }
  });
  test('a migration that has not run makes the process unready, and restarts nothing', async () => {
    const behind = await openService();
    await behind.db.execute(sql`delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`);
    const checks = { ...ok.checks, migrations: 'unavailable' };
    expect(await probe(behind, 'ready')).toMatchObject({
      status: 503,
      json: { status: 'unavailable', checks, code: 'SERVICE_UNAVAILABLE', requestId: expect.any(String) },
    });
    expect(await probe(behind, 'live')).toEqual({ status: 200, json: { status: 'degraded', checks } });
  });
  test('a database that does not know its migrations counts as away', async () => {
    const away = await openService();
    await away.db.execute(sql`alter schema drizzle rename to elsewhere`);
    expect(await probe(away, 'ready')).toMatchObject({
      status: 503,
      json: { status: 'unavailable', checks: { database: 'unavailable' } },
    });
    expect((await probe(away, 'live')).status).toBe(200);
  });
  test('a process that stops is not ready, and lives', async () => {
    const stopping = await openService();
    stopping.platform.events.close();
    expect(await probe(stopping, 'ready')).toMatchObject({ status: 503, json: { status: 'unavailable' } });
    expect(await probe(stopping, 'live')).toEqual({ status: 200, json: ok });
  });
});

test('GET /health/system describes the machine', async () => {
  const { json } = await get('/health/system');
  expect(json).toMatchObject({
    arch: process.arch,
    release: expect.any(String),
    loadavg: [expect.any(Number), expect.any(Number), expect.any(Number)],
    cpus: expect.arrayContaining([
      { model: expect.any(String), speed: expect.any(Number), times: expect.anything() },
    ]),
  });
  const { freemem, totalmem } = json as { freemem: number; totalmem: number };
  expect(Number.isInteger(freemem) && Number.isInteger(totalmem)).toBe(true);
  expect(totalmem).toBeGreaterThan(freemem);
});

describe('applications and adapters', () => {
  const row = {
    version: RELEASE,
    description: expect.any(String),
    routePrefix: expect.any(String),
    state: 'RUNNING',
    connection: { state: 'ONLINE' },
    uptime: expect.any(Number),
    memoryUsage: memory,
    cpuUsage: { user: expect.any(Number), system: expect.any(Number) },
    pid: process.pid,
    logger: { console: 'info', file: 'info', syslog: '' },
    timestamp: expect.any(Number),
    prevUptime: 0,
  };
  type List = { results: { id: string }[]; total: number };

  test('every application has a row', async () => {
    const { results, total } = (await get('/health/applications')).json as List;
    const applications = (await get('/applications')).json as { results: { data: { name: string } }[] };
    expect(results.map(({ id }) => id)).toEqual(applications.results.map(({ data }) => data.name));
    expect(total).toBe(results.length);
    for (const one of results) expect(one).toMatchObject({ ...row, type: 'Application' });
  });
  test('the adapters of a first start are those that are built in', async () => {
    const local = { ...row, id: 'local_aaa', type: 'Adapter', package_id: '@vendor/adapter-local_aaa' };
    const { results, total } = (await get('/health/adapters')).json as List;
    const gateway = { ...local, id: 'gateway', package_id: '@vendor/adapter-gateway' };
    expect(results).toMatchObject([
      { ...gateway, routePrefix: 'gateway', description: expect.any(String) },
      local,
    ]);
    expect(total).toBe(2);
    expect((await get('/health/adapters/local_aaa')).json).toMatchObject(local);
    expect((await get('/health/adapters/orch-east')).status).toBe(404);
  });
  test('clients find one by its id', async () => {
    const found = async (query: string) => ((await get(query)).json as List).results.map(({ id }) => id);
    expect(await found('/health/adapters?equals=local_aaa&equalsField=id')).toEqual(['local_aaa']);
    expect(await found('/health/adapters?equals=other&equalsField=id')).toEqual([]);
    expect(await found('/health/applications?equals=Health&equalsField=id')).toEqual(['Health']);
    expect(
      await found('/health/applications?contains=run&containsField=state&limit=1&sort=id&order=-1'),
    ).toEqual(['WorkflowEngine']);
    expect((await get('/health/applications?sort=nonsense')).status).toBe(400);
  });
});

describe('GET /prometheus_metrics', () => {
  const metrics = async () => (await get('/prometheus_metrics')).text;
  test('is text for Prometheus, and for readers only', async () => {
    const answer = await get('/prometheus_metrics');
    expect(answer.headers['content-type']).toContain('version=0.0.4');
    expect((await service.send('apiwrite', 'GET', '/prometheus_metrics')).status).toBe(403);
  });
  test('reports the state of the database', async () => {
    const text = await metrics();
    expect(text).toMatch(/^database_up 1$/m);
    expect(Number(/^database_size_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_000_000);
    expect(Number(/^database_connections (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  });
  test('counts the jobs that ended, by outcome, whichever process did their work', async () => {
    const ended = async () => {
      const text = await metrics();
      const of = (status: string) =>
        Number(new RegExp(`^jobs_ended_total\\{outcome="${status}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
      return { complete: of('complete'), error: of('error'), canceled: of('canceled') };
    };
    const before = await ended();
    await inTransaction(service.db, async (tx) => {
      const flow = workflowOf('Counted');
      const account = (await service.callerWith('admin')).caller.id;
      const planId = await keepPlan(tx, flow);
      const one = { workflow: flow, planId, projectId: null, variables: {}, groups: [], account };
      await insertJobs({ db: tx, platform: service.platform }, [
        { ...one, actingAccount: account, initiator: 'test' },
        { ...one, actingAccount: account, initiator: 'test' },
      ]);
    });
    const set = (status: string) =>
      service.db.execute(sql`update jobs set doc = doc || jsonb_build_object('status', ${status}::text)`);
    for (const status of ['error', 'running', 'error', 'complete']) await set(status);
    expect(await ended()).toEqual({
      complete: before.complete + 2,
      error: before.error + 4,
      canceled: before.canceled,
    });
  });
  test('continues to report the process while the database is away', async () => {
    const text = await openMetrics(async () => undefined).text();
    expect(text).toMatch(/^database_up 0$/m);
    expect(text).toMatch(/^database_size_bytes nan$/im);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
  test('says for how long the oldest piece of work of a queue has waited, of those that may begin', async () => {
    const ago = (seconds: number) => Date.now() - seconds * 1000;
    const rows = [
      { id: 'first', status: 'ENQUEUED', created: ago(300), until: null },
      { id: 'second', status: 'ENQUEUED', created: ago(100), until: null },
      // Delayed until a minute ago; until later; taken by a process; another queue.
      { id: 'woken', status: 'ENQUEUED', created: ago(900), until: ago(60) },
      { id: 'later', status: 'DELAYED', created: ago(900), until: ago(-60) },
      { id: 'taken', status: 'PENDING', created: ago(900), until: null },
    ];
    for (const { id, status, created, until } of rows)
      await service.db.execute(sql`insert into dbos.workflow_status
        (workflow_uuid, status, queue_name, created_at, delay_until_epoch_ms)
        values (${`wait-${id}`}, ${status}, 'stands', ${created}, ${until})`);
    const [, seconds] = /^work_longest_wait_seconds\{queue="stands"\} ([\d.]+)$/m.exec(await metrics()) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(300);
    expect(Number(seconds)).toBeLessThan(360);
    await service.db.execute(sql`delete from dbos.workflow_status where queue_name = 'stands'`);
    expect(await metrics()).not.toContain('"stands"');
  });
  test('has every outcome of a sign-in from the start, so that the first burst is an increase', async () => {
    const text = await openMetrics(async () => undefined).text();
    const outcomes = [...text.matchAll(/^sign_ins_total\{outcome="(\w+)"\} 0$/gm)].map(([, name]) => name);
    expect(outcomes).toEqual(['ok', 'refused', 'throttled']);
  });
  test('says when the certificate of the process ends, and nothing where it has none', async () => {
    const end = async () =>
      /^certificate_end_seconds (.+)$/m.exec(await openMetrics(async () => undefined).text())?.[1];
    expect(await end()).toMatch(/^nan$/i);
    const until = new Date('2031-05-06T07:08:09.000Z');
    noteCertificate(Buffer.from(openAuthority().issue({ until }).cert));
    expect(await end()).toBe(String(until.getTime() / 1000));
  });
  test('never shows what callers wrote: labels are patterns, and few', async () => {
    const word = 'caller-wrote-this';
    await get(`/health/adapters/${word}`);
    await get(`/${word}/and/more?x=${word}`);
    await get(`/health/server?${word}=1`);
    await get(`/trpc/${word}.x`);
    await get(`/docs/${word}`);
    await service.send('apiread', 'GET', `/${word}`, undefined, { headers: { Origin: `https://${word}` } });
    await service.send('apiread', 'PROPFIND', `/health/${word}`);
    await service.send('apiread', 'DELETE', `/profiles/${word}`);
    await service.send('apiread', 'PATCH', `/profiles/${word}`);
    await service.send('apiread', 'OPTIONS', `/profiles/${word}`);
    const text = await metrics();
    expect(text).not.toContain(word);
    expect(text).not.toContain('PROPFIND');
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
    const patterns = service.platform.catalogue.map(({ path }) => path);
    const own = [
      'unknown',
      'other method',
      '/trpc',
      '/openapi.json',
      '/docs',
      '/',
      '/console',
      '/automation-studio',
    ];
    for (const route of routes) expect([...patterns, ...own]).toContain(route);
    for (const [, status] of text.matchAll(/status="([^"]*)"/g)) expect(status).toMatch(/^[2-5]\d\d$/);
    const lines = service.logged.filter((line) => line.includes('"msg":"request"'));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ status: expect.any(Number) });
  });
});

describe('GET /help/openapi', () => {
  test('describes the service at the requested address', async () => {
    const url = 'https://lab.example.net:8443';
    const answer = await service.send('other', 'GET', `/help/openapi?url=${encodeURIComponent(url)}`);
    expect(answer.status).toBe(200);
    const described = answer.json as { openapi: string; servers: unknown; paths: Record<string, unknown> };
    expect(described.servers).toEqual([{ url }]);
    expect(described.openapi).toMatch(/^3\.1/);
    expect(described.paths).toHaveProperty('/profiles/{id}');
    const { servers: _, ...same } = (await service.send(null, 'GET', '/openapi.json')).json as Record<
      string,
      unknown
    >;
    expect({ ...described, servers: undefined }).toEqual({ ...same, servers: undefined });
  });
  test('without an address it is the document of /openapi.json', async () => {
    const answer = await service.send('other', 'GET', '/help/openapi');
    expect(answer.text).toBe((await service.send(null, 'GET', '/openapi.json')).text);
  });
  test.each(['javascript:alert(1)', 'lab.example.net', 'https://a b', ''])(
    '%j is rejected as the address of the service',
    async (url) => {
      const answer = await service.send('other', 'GET', `/help/openapi?url=${encodeURIComponent(url)}`);
      expect(answer.status).toBe(400);
    },
  );
  test('requires a credential', async () => {
    expect((await service.send(null, 'GET', '/help/openapi')).status).toBe(401);
  });
});

test('GET /version is the release as plain text', async () => {
  const answer = await service.send('other', 'GET', '/version');
  expect(answer.text).toBe(RELEASE);
  expect(answer.headers['content-type']).toMatch(/^text\/plain/);
});

test.each([
  '/health/server',
  '/health/system',
  '/health/applications',
  '/health/applications/Health',
  '/health/adapters',
  '/health/adapters/local_aaa',
  '/prometheus_metrics',
])('GET %s is for admin and apiread', async (path) => {
  expect((await service.send('admin', 'GET', path)).status).toBe(200);
  const others = ['apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
  expect((await service.send(others, 'GET', path)).status).toBe(403);
  expect((await service.send(null, 'GET', path)).status).toBe(401);
});
