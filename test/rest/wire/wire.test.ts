import { expect, test } from 'vitest';
import { openService } from '../../helpers/service.ts';

const service = await openService();

test('liveness needs no credential', async () => {
  const answer = await service.send(null, 'GET', '/health/status');
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    apps: 'running',
    services: [{ service: 'database', status: 'running' }],
  });
});

test('a caller without a credential gets 401', async () => {
  const answer = await service.send(null, 'GET', '/version');
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  expect(answer.json).toMatchObject({ code: 'UNAUTHORIZED', requestId: answer.headers['x-request-id'] });
});

test('REST and tRPC give the same version', async () => {
  const answer = await service.send('other', 'GET', '/version');
  const typed = await (await service.as('other')).health.getVersion({});
  expect(answer.text).toBe(typed);
});
