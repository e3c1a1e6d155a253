import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { openHost } from '../../helpers/integrations/packages.ts';
import { isLong } from '../../helpers/long.ts';
import { isAlive } from '../../helpers/processes/processes.ts';
import { commandOf } from '../../lab/programs.ts';

/** A package whose methods do what their names say. */
const CODE = `
const { EventEmitter } = require('node:events');
module.exports = class Example extends EventEmitter {
  constructor(id, properties) { super(); this.id = id; this.properties = properties; this.begun = 0; }
  connect() { log.info('connected with ' + this.properties.authentication?.password); this.emit('ONLINE', {}); }
  hang(callback) { this.begun += 1; }
  after(ms, callback) { setTimeout(() => callback({ response: ms }, null), ms); }
  count(callback) { callback({ response: this.begun }, null); }
  pid(callback) { callback(process.pid, null); }
  die(callback) { throw1(); }
  async promised(value) { return { response: value }; }
  async rejected() { throw Object.assign(new Error('no'), { code: 'ENO' }); }
  loop(callback) { for (;;); }
};
function throw1() { setImmediate(() => { throw new Error('died of ' + 'hush' + '-hush'); }); }
`;

test('sends arguments in their order, and returns what callbacks, promises and errors bring', async () => {
  const service = await openWebService(({ url }, response) => {
    if (url.includes('missing')) response.statusCode = 404;
    response.end(JSON.stringify({ url }));
  });
  const host = await openHost();
  const warehouse = await host.warehouse('w', {
    ...{ host: '127.0.0.1', port: service.port, protocol: 'http', base_path: '/api' },
    authentication: { username: 'u', password: 'hush-hush' },
  });
  const secrets = ['hush-hush'];
  const call = (method: string, ...args: unknown[]) =>
    host.packages.call({ ...warehouse, secrets, method, args });
  expect(await call('getItems', { a: 1 })).toMatchObject({
    data: { code: 200, response: { url: '/api/items?a=1' } },
  });
  expect(await call('echo', 'x', undefined, { deep: [null] })).toEqual({
    data: { response: { given: ['x', null, { deep: [null] }], absent: [false, true, false] } },
  });
  // The error quotes the request with its credential, which only the process may know.
  const rejected = await call('getItem', 'missing');
  expect(rejected).toMatchObject({
    error: { icode: 'AD.404', IAPerror: { raw_response: { sent: { authorization: 'Basic ********' } } } },
  });
  expect(await call('nothing')).toMatchObject({ failure: { reason: 'UNKNOWN_METHOD', begun: false } });
  expect(host.packages.state('w')).toMatchObject({ state: 'RUNNING', connection: 'ONLINE' });

  const example = await host.packageWith('example', CODE);
  const other = (method: string, ...args: unknown[]) => host.packages.call({ ...example, method, args });
  expect(await other('promised', 7)).toEqual({ data: { response: 7 } });
  expect(await other('rejected')).toEqual({ error: { message: 'no', code: 'ENO' } });
  const big = await other('promised', 1n);
  expect(big).toMatchObject({ failure: { reason: 'UNSENDABLE', begun: false } });
});

test.skipIf(!isLong)(
  'ends every call at once when the process dies, and has another online within seconds',
  async () => {
    const host = await openHost();
    const example = await host.packageWith('killed', CODE);
    expect(await host.packages.start(example)).toBeNull();
    const { pid } = host.packages.state('killed');
    const inFlight = Array.from({ length: 10 }, () =>
      host.packages.call({ ...example, method: 'hang', args: [] }),
    );
    const waiting = host.packages.call({ ...example, method: 'count', args: [] });
    await expect.poll(() => host.packages.state('killed')).toMatchObject({ calls: 10, waiting: 1 });
    const killed = performance.now();
    process.kill(pid ?? 0, 'SIGKILL');
    for (const outcome of await Promise.all(inFlight))
      expect(outcome).toMatchObject({ failure: { reason: 'ADAPTER_DIED', begun: true } });
    expect(performance.now() - killed).toBeLessThan(1000);
    // What only waited was not lost: the next process answers, which knows no calls.
    expect(await waiting).toEqual({ data: { response: 0 } });
    const seconds = (performance.now() - killed) / 1000;
    console.info(`the next process answered after ${seconds.toFixed(1)} s`);
    // A few seconds at rest, and more than ten on a machine that does much else.
    expect(seconds).toBeLessThan(60);
    await expect.poll(() => host.packages.state('killed').connection).toBe('ONLINE');
  },
);

test.skipIf(!isLong)(
  'is dead after five deaths, says why without secrets, and lives again when it is restarted',
  async () => {
    vi.useFakeTimers({ toFake: ['performance'], shouldAdvanceTime: true });
    const host = await openHost();
    const dying = await host.packageWith('dying', CODE);
    const with1 = { ...dying, secrets: ['hush-hush'] };
    for (let death = 1; death <= 5; death += 1) {
      const outcome = await host.packages.call({ ...with1, method: 'die', args: [] });
      expect(outcome).toMatchObject({
        failure: { reason: 'ADAPTER_DIED', message: expect.stringContaining('died of ********') },
      });
      // The pauses of 1, 2, 4 and 8 s pass, and stay within the ten minutes.
      vi.advanceTimersByTime(10_000);
    }
    expect(host.packages.state('dying')).toMatchObject({ state: 'DEAD', connection: 'OFFLINE' });
    expect(await host.packages.call({ ...with1, method: 'count', args: [] })).toMatchObject({
      failure: { reason: 'ADAPTER_REFUSED', message: expect.stringMatching(/died 5 times.*died of \*{8}/) },
    });
    expect(host.lines.join()).not.toContain('hush-hush');
    host.packages.stop('dying');
    expect(await host.packages.call({ ...with1, method: 'count', args: [] })).toEqual({
      data: { response: 0 },
    });
    vi.useRealTimers();
  },
);

test.skipIf(!isLong)('replaces a process whose calls do not return, and counts late answers', async () => {
  const host = await openHost({ limits: { timeouts: 3 } });
  const example = await host.packageWith('silent', CODE);
  await host.packages.start(example);
  const late = await host.packages.call({ ...example, method: 'after', args: [300], timeoutMs: 150 });
  expect(late).toMatchObject({ failure: { reason: 'CALL_TIMEOUT' } });
  const gone = new AbortController();
  const cancelled = host.packages.call({ ...example, method: 'after', args: [200], signal: gone.signal });
  setTimeout(() => gone.abort(), 50);
  expect(await cancelled).toMatchObject({ failure: { reason: 'CANCELLED', begun: true } });
  await expect.poll(() => host.packages.state('silent').dropped).toBe(2);
  const { pid } = host.packages.state('silent');
  for (let call = 0; call < 3; call += 1)
    await host.packages.call({ ...example, method: 'hang', args: [], timeoutMs: 200 });
  const next = await host.packages.call({ ...example, method: 'pid', args: [] });
  expect(next).not.toEqual({ data: pid });
  await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
});

test.skipIf(!isLong)(
  'changed properties take another process, after the calls of the one before',
  async () => {
    const host = await openHost();
    const example = await host.packageWith('changed', CODE);
    await host.packages.start(example);
    const slow = host.packages.call({ ...example, method: 'after', args: [400] });
    await expect.poll(() => host.packages.state('changed').calls).toBe(1);
    const { pid } = host.packages.state('changed');
    const changed = { ...example, properties: { host: '127.0.0.2' } };
    expect(await host.packages.call({ ...changed, method: 'pid', args: [] })).not.toEqual({ data: pid });
    expect(await slow).toEqual({ data: { response: 400 } });
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
  },
);

test.skipIf(!isLong)(
  'does not load files that are not those that were added, or that are no adapter',
  async () => {
    const host = await openHost();
    const example = await host.packageWith('edited', CODE);
    await writeFile(join(example.package.directory, 'more.js'), '// added later');
    expect(await host.packages.call({ ...example, method: 'count', args: [] })).toMatchObject({
      failure: { reason: 'ADAPTER_REFUSED', message: expect.stringContaining('not those that were added') },
    });
    expect(host.packages.state('edited')).toMatchObject({ state: 'DEAD' });
    const broken = await host.packageWith('broken', `throw new Error('first line\\nsecond')`);
    expect(await host.packages.start(broken)).toMatchObject({
      reason: 'ADAPTER_REFUSED',
      message: 'broken: the package does not load: first line',
    });
    const none = await host.packageWith('none', 'module.exports = { answer: 42 };');
    expect(await host.packages.start(none)).toMatchObject({
      message: expect.stringContaining('exports no class'),
    });
  },
);

test.skipIf(!isLong)('ends idle processes, and all of them with the host', async () => {
  const host = await openHost({ limits: { idle: 300 } });
  const example = await host.packageWith('idle', CODE);
  const first = await host.packages.call({ ...example, method: 'pid', args: [] });
  await expect.poll(() => host.packages.state('idle').state).toBe('IDLE');
  const second = await host.packages.call({ ...example, method: 'pid', args: [] });
  expect(second).not.toEqual(first);
  await host.packages.close();
  const pid = 'data' in second ? Number(second.data) : 0;
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await host.packages.call({ ...example, method: 'pid', args: [] })).toMatchObject({
    failure: { reason: 'SHUTTING_DOWN' },
  });
});

test.skipIf(!isLong)(
  'a process that computes without end does not outlive the service that is killed',
  async ({ skip }) => {
    if (process.platform !== 'linux')
      return skip('needs the signal at the death of a parent, which Linux has');
    const host = await openHost();
    const example = await host.packageWith('orphan', CODE);
    const service = spawn(process.execPath, await commandOf('packages-process'), {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    service.stdin.end(JSON.stringify({ directory: join(host.folder, 'adapters'), instance: example }));
    const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
    const pid = Number(line);
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).toContain('child.cjs');
    service.kill('SIGKILL');
    await expect
      .poll(() => readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'gone'))
      .toMatch(/^gone|State:\s+Z/m);
  },
);

test('masks a secret in every form in which a request carries it', () => {
  const mask = secretMask(['p"ss wörd', 'abc'], 'svc');
  const basic = Buffer.from('svc:p"ss wörd').toString('base64');
  const shown = mask(
    `p"ss wörd ${JSON.stringify({ a: 'p"ss wörd' })} ${encodeURIComponent('p"ss wörd')} ${basic}`,
  );
  expect(shown).toBe('******** {"a":"********"} ******** ********');
  // Too short to be distinguished from other text.
  expect(mask('abc')).toBe('abc');
});
