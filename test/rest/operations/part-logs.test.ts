import { expect, test } from 'vitest';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openSibling } from '../../helpers/processes/sibling.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const sibling = await openSibling(service);
const peer = await openOrchestrator();
const put = async (path: string, body?: unknown) => {
  const answer = await service.send('admin', 'PUT', path, body);
  expect(answer.status, answer.text).toBe(200);
};
const profile = (loggerProps: object) => put('/profiles/default', { properties: { loggerProps } });
const linesOf = (kind: 'application' | 'adapter', name: string) =>
  service.logged
    .map((line) => JSON.parse(line) as { level: number; msg: string; [member: string]: unknown })
    .filter((line) => line[kind] === name);
const levels = (kind: 'application' | 'adapter', name: string) =>
  [service, sibling].map(({ platform }) => platform.logOf(kind, name).level);

test('an application logs at its own level in every process, from the moment it is set', async () => {
  await service.send('admin', 'GET', '/version');
  expect(linesOf('application', 'Health').map(({ msg }) => msg)).toContain('request');

  await put('/applications/Health/loglevel', { loglevel: 'error' });
  await expect.poll(() => levels('application', 'Health')).toEqual(['error', 'error']);
  const before = linesOf('application', 'Health').length;
  await service.send('admin', 'GET', '/version');
  expect(linesOf('application', 'Health')).toHaveLength(before);
  // Another one is not meant.
  await service.send('admin', 'GET', '/profiles');
  expect(linesOf('application', 'Profiles').map(({ msg }) => msg)).toContain('request');
  await put('/applications/Health/loglevel', { loglevel: 'info' });
});

test('an application with a lower log level than the service logs why calls were rejected', async () => {
  await profile({ log_level: 'warn' });
  await put('/applications/Profiles/loglevel', { loglevel: 'debug' });
  await expect.poll(() => levels('application', 'Profiles')).toEqual(['debug', 'debug']);
  await expect.poll(() => levels('application', 'Tags')).toEqual(['warn', 'warn']);
  await service.send('admin', 'GET', '/profiles/nobody');
  const said = linesOf('application', 'Profiles').filter(({ msg }) => msg === 'refused');
  expect(said.at(-1)).toMatchObject({ code: 'NOT_FOUND', reason: expect.stringContaining('rofile') });
});

test('an application at level info logs at the level of the profile', async () => {
  await profile({ log_level: 'error' });
  await expect.poll(() => levels('application', 'Tags')).toEqual(['error', 'error']);
  await profile({});
  await expect.poll(() => levels('application', 'Tags')).toEqual(['trace', 'warn']);
});

test('an adapter logs its calls at its own level', async () => {
  await profile({ log_level: 'warn' });
  const answer = await service.send('admin', 'POST', '/adapters', {
    properties: orchestratorAdapter('chatty', peer.port),
  });
  expect(answer.status, answer.text).toBe(200);
  await expect.poll(() => levels('adapter', 'chatty')).toEqual(['warn', 'warn']);
  const sync = () => service.send('admin', 'POST', '/adapters/chatty/sync', {});
  await sync();
  expect(linesOf('adapter', 'chatty')).toEqual([]);
  await put('/adapters/chatty/loglevel', { loglevel: 'debug' });
  await expect.poll(() => levels('adapter', 'chatty')).toEqual(['debug', 'debug']);
  await sync();
  expect(linesOf('adapter', 'chatty')).toEqual([
    expect.objectContaining({ msg: 'the adapter target responded', ms: expect.any(Number) }),
  ]);
  await profile({});
});

test('an adapter is tried again as often as the profile says, then left alone until the time it names has passed', async () => {
  const strategy = (maxRetries: number, retryResetTimer: number) =>
    put('/profiles/default', { properties: { retryStrategy: { maxRetries, retryResetTimer } } });
  await strategy(2, 3_600_000);
  await service.send('admin', 'POST', '/adapters', {
    properties: orchestratorAdapter('away', await closedPort()),
  });
  const state = async () => {
    const [row] = await service.db.execute<{ failed: number; online: boolean | null }>(
      `select failed, online from adapters where id = 'away'`,
    );
    return row;
  };
  /** After this time its health is checked again. */
  const look = async (later = '31 seconds') => {
    await service.db.execute(
      `update adapters set probed_at = probed_at - interval '${later}' where id = 'away'`,
    );
    await service.send('admin', 'GET', '/health/adapters');
  };
  // One check at a time: moving the time of one that still runs would start another beside it.
  for (const failed of [1, 2, 3]) {
    await look();
    await expect.poll(state).toMatchObject({ failed, online: false });
  }
  const connections = service.logged.length;
  for (let time = 0; time < 5; time++) await look();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(service.logged.slice(connections).filter((line) => line.includes('"adapter":"away"'))).toEqual([]);
  expect(await state()).toMatchObject({ failed: 3 });

  await look('1 hour');
  await expect.poll(state).toMatchObject({ failed: 1 });
  await put('/adapters/away/restart');
  expect(await state()).toMatchObject({ failed: 0, online: null });
  await strategy(5, 60_000);
});
