import { describe, expect, test } from 'vitest';
import { ServerHealth } from '#db/schemas/operations/server-health.ts';
import {
  clampMemory,
  partHealth,
  serverHealth,
  systemHealth,
  togetherOf,
  versionsOf,
} from '#server/domains/health/health.ts';

const memory = { rss: 5e9, heapTotal: 2 ** 31, heapUsed: 2 ** 31 - 1, external: 7, arrayBuffers: 3 };
const facts = { uptime: 12.5, memory, cpu: { user: 10, system: 20 }, pid: 71 };

test('memory stays below 2³¹, whatever the process takes', () => {
  expect(clampMemory(memory)).toEqual({
    rss: 2 ** 31 - 1,
    heapTotal: 2 ** 31 - 1,
    heapUsed: 2 ** 31 - 1,
    external: 7,
    arrayBuffers: 3,
  });
});

describe('versions', () => {
  test('every key of the runtime is reported, and http_parser is llhttp’s', () => {
    const versions = versionsOf({ node: '20.20.2', llhttp: '9.3.1', simdutf: '6.4.2' });
    expect(versions).toMatchObject({ node: '20.20.2', simdutf: '6.4.2', http_parser: '9.3.1' });
  });
  test('a runtime that still has an http_parser keeps it', () => {
    expect(versionsOf({ llhttp: '9', http_parser: '2.9' }).http_parser).toBe('2.9');
  });
  test('the lexer of modules keeps its key on Node 24 and later, where it is merve', () => {
    expect(versionsOf({ merve: '1.2.2' }).cjs_module_lexer).toBe('1.2.2');
    expect(versionsOf({ merve: '1.2.2', cjs_module_lexer: '2.1.0' }).cjs_module_lexer).toBe('2.1.0');
  });
  test('the documented keys exist even where the build lacks the library', () => {
    expect(versionsOf({ node: '20', unicode: undefined })).toMatchObject({
      icu: 'none',
      unicode: 'none',
      http_parser: 'none',
      uvwasi: 'none',
    });
  });
});

test('the answer of the server fits its documented shape', () => {
  const dependencies = Object.fromEntries(
    Object.keys(ServerHealth.shape.dependencies.shape).map((name) => [name, '1.0.0']),
  ) as ServerHealth['dependencies'];
  const health = serverHealth(facts, {
    release: '2026.1.0',
    arch: 'x64',
    platform: 'linux',
    versions: process.versions,
    dependencies,
  });
  expect(ServerHealth.parse(health)).toEqual(health);
  expect(health).toMatchObject({ version: '2026.1.0', release: '2026.1.0', uptime: 12.5, pid: 71 });
});

describe('a part', () => {
  const part = {
    id: 'Mop',
    model: '@vendor/app-mop',
    type: 'Application' as const,
    description: '',
    prefix: 'mop',
    running: true,
    online: true,
    sinceStart: 100,
    ranFor: 3.5,
    loggerProps: { log_level: 'debug', syslog: { level: 'warn' } },
  };
  test('that runs has the numbers of its process', () => {
    expect(partHealth(part, facts, '2026.1.0', 1000)).toEqual({
      id: 'Mop',
      package_id: '@vendor/app-mop',
      version: '2026.1.0',
      type: 'Application',
      description: '',
      routePrefix: 'mop',
      state: 'RUNNING',
      connection: { state: 'ONLINE' },
      uptime: 12.5,
      memoryUsage: clampMemory(memory),
      cpuUsage: { user: 10, system: 20 },
      pid: 71,
      logger: { console: 'info', file: 'debug', syslog: 'warn' },
      timestamp: 1000,
      prevUptime: 3.5,
    });
  });
  test('that was started later than its process counts from then', () => {
    expect(partHealth({ ...part, sinceStart: 2 }, facts, '1', 0).uptime).toBe(2);
    expect(partHealth({ ...part, sinceStart: -1 }, facts, '1', 0).uptime).toBe(0);
  });
  test('that is stopped has zeros, never null', () => {
    const stopped = partHealth({ ...part, running: false }, facts, '1', 0);
    expect(stopped).toMatchObject({
      state: 'STOPPED',
      connection: { state: 'OFFLINE' },
      uptime: 0,
      pid: 0,
      memoryUsage: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 },
      cpuUsage: { user: 0, system: 0 },
      prevUptime: 3.5,
    });
  });
  test('whose system does not answer is offline although it runs', () => {
    expect(partHealth({ ...part, online: false }, facts, '1', 0)).toMatchObject({
      state: 'RUNNING',
      connection: { state: 'OFFLINE' },
    });
  });
});

test.each([
  [3, 0, 'running'],
  [2, 1, 'degraded'],
  [0, 3, 'stopped'],
  [0, 0, 'running'],
])('%i running and %i stopped are %s together', (running, stopped, state) => {
  expect(togetherOf(running, stopped)).toBe(state);
});

test('the figures of the machine are whole numbers except uptime and load', () => {
  const times = { user: 1.4, nice: 0, sys: 2.6, idle: 3, irq: 0 };
  const system = {
    arch: 'x64',
    release: '6.1',
    uptime: 1.5,
    freemem: 10.4,
    totalmem: 20,
    loadavg: [0.1, 0.2, 0.3],
    cpus: [{ model: 'm', speed: 2999.9, times }],
  };
  expect(systemHealth(system)).toEqual({
    ...system,
    freemem: 10,
    cpus: [{ model: 'm', speed: 3000, times: { user: 1, nice: 0, sys: 3, idle: 3, irq: 0 } }],
  });
});
