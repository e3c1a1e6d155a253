import { expect, test } from 'vitest';
import { openService } from '../../helpers/service.ts';

const service = await openService();

test('an answer with a status that its operation does not declare is recorded, and a declared one is not', async () => {
  await service.send('admin', 'GET', '/version');
  await service.send('admin', 'HEAD', '/version');
  await service.send('admin', 'GET', '/version?colour=red');
  expect(service.undeclared).toEqual([]);
  service.platform.metrics.request('GET', '/version', 418, 0.001);
  service.platform.metrics.request('GET', '/configuration_manager/configs/:treeId', 207, 0.001);
  expect(service.undeclared.splice(0)).toEqual([
    'GET /version 418',
    'GET /configuration_manager/configs/:treeId 207',
  ]);
});

test('real requests reach the recorder by the pattern of their route', async () => {
  const routes: string[] = [];
  const { request } = service.platform.metrics;
  service.platform.metrics.request = (method, route, status, seconds) => {
    routes.push(`${method} ${route} ${status}`);
    request(method, route, status, seconds);
  };
  await service.send('admin', 'GET', '/configuration_manager/configs/65f0c1d2e3a4b5c6d7e8f901');
  service.platform.metrics.request = request;
  expect(routes).toEqual(['GET /configuration_manager/configs/:treeId 404']);
});
