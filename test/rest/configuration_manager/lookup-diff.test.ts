import { expect, test } from 'vitest';
import type { NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { done, groupOf, send } = await openConfiguration();

const [one, other] = ['65f0c1d2e3a4b5c6d7e8f901', '65f0c1d2e3a4b5c6d7e8f902'];
await done('POST', '/import/backups', {
  backups: [
    { id: one, name: 'edge-1', rawConfig: 'hostname edge-1\nntp server 192.0.2.9\n' },
    { id: other, name: 'edge-1', rawConfig: 'hostname edge-1\nntp server 192.0.2.10\n' },
  ],
});
const backups = { collection: 'backups', nextCollection: 'backups' };

test('two backups are compared by words, or on request by lines or characters', async () => {
  const ask = { id: one, nextId: other, ...backups };
  expect(await done('PUT', '/lookup_diff', ask)).toEqual([
    [0, 'hostname edge-1\nntp server '],
    [-1, '192.0.2.9'],
    [1, '192.0.2.10'],
    [0, '\n'],
  ]);
  expect(await done('PUT', '/lookup_diff', { ...ask, options: { type: 'line' } })).toEqual([
    [0, 'hostname edge-1\n'],
    [-1, 'ntp server 192.0.2.9\n'],
    [1, 'ntp server 192.0.2.10\n'],
  ]);
  expect(await done('PUT', '/lookup_diff', { ...ask, options: { type: 'char' } })).toEqual([
    [0, 'hostname edge-1\nntp server 192.0.2.'],
    [-1, '9'],
    [1, '10'],
    [0, '\n'],
  ]);
});

test('a backup is compared with what the template of a node renders to', async () => {
  const tree = await done<{ id: string }>('POST', '/configs', { name: 'Edge', deviceType: 'cisco-ios' });
  await done('PUT', '/node/config', {
    treeId: tree.id,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template: 'hostname edge-1\nntp server {{ ntp }}\n', variables: { ntp: '192.0.2.10' } },
    updateVariables: true,
  });
  const { spec } = await done<NodeDetail>('GET', `/configs/${tree.id}/initial/base`);
  const ask = { id: one, collection: 'backups', nextId: spec._id, nextCollection: 'nodes' };
  expect(await done('PUT', '/lookup_diff', ask, { as: 'apiread' })).toEqual([
    [0, 'hostname edge-1\nntp server '],
    [-1, '192.0.2.9'],
    [1, '192.0.2.10'],
    [0, '\n'],
  ]);
  await done('PUT', `/configs/${tree.id}/initial`, { variables: {} });
  const broken = await send('PUT', '/lookup_diff', ask);
  expect(broken.status).toBe(400);
  expect(issuesOf(broken)[0]).toContain('nextId');
});

test('a missing or invisible document, and a value that is no stored text, are rejected', async () => {
  const nobody = '65f0c1d2e3a4b5c6d7e8f90f';
  expect((await send('PUT', '/lookup_diff', { id: one, nextId: nobody, ...backups })).status).toBe(404);
  expect(
    (
      await send('PUT', '/lookup_diff', {
        id: one,
        nextId: nobody,
        collection: 'backups',
        nextCollection: 'nodes',
      })
    ).status,
  ).toBe(404);
  expect(
    (
      await send('PUT', '/lookup_diff', {
        id: one,
        nextId: other,
        collection: 'devices',
        nextCollection: 'backups',
      })
    ).status,
  ).toBe(400);
  const group = await groupOf(['apiwrite']);
  await done('PUT', `/backups/${one}`, { gbac: { read: [group], write: [group] } });
  const hidden = await send('PUT', '/lookup_diff', { id: one, nextId: other, ...backups }, { as: 'apiread' });
  expect(hidden.status).toBe(404);
});
