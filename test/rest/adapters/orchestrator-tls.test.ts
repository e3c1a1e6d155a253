import { expect, test } from 'vitest';
import { openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const service = await openService();
const authority = openAuthority();
const peer = await openOrchestrator({ tls: authority.issue({ names: ['127.0.0.1'] }) });
const other = await openOrchestrator({ tls: authority.issue({ names: ['orch.example'] }) });

const add = async (name: string, tls: object, port = peer.port) => {
  const properties = orchestratorAdapter(name, port, { protocol: 'https', tls });
  expect((await service.send('admin', 'POST', '/adapters', { properties })).status).toBe(200);
};
const read = (name: string) =>
  service.send('admin', 'POST', `/orchestrator_manager/restAction/${name}`, {
    params: { path: '/restconf/data/vpn:vpn=blue', accept: 'application/yang-data+json', method: 'GET' },
    body: {},
  });

test('a certificate is trusted by its authority, or without verification on request', async () => {
  await add('trusted', { enabled: true, ca: authority.ca });
  await add('unseen', { enabled: true, rejectUnauthorized: false });
  for (const name of ['trusted', 'unseen'])
    expect((await read(name)).json).toMatchObject([{ result: '200' }]);
  expect((await service.send('admin', 'POST', '/adapters/trusted/test')).json).toMatchObject({ ok: true });
});

test('another authority, none, and another name are 502 before any credential is sent', async () => {
  await add('other-ca', { enabled: true, ca: openAuthority('Another').ca });
  await add('no-ca', { enabled: true });
  await add('other-name', { enabled: true, ca: authority.ca }, other.port);
  const before = peer.seen.length + other.seen.length;
  for (const name of ['other-ca', 'no-ca', 'other-name']) {
    expect(await read(name)).toMatchObject({
      status: 502,
      json: { reason: 'TLS_FAILED', stage: 'connect', host: '127.0.0.1' },
    });
    expect((await service.send('admin', 'POST', `/adapters/${name}/test`)).json).toMatchObject({ ok: false });
  }
  expect(peer.seen.length + other.seen.length).toBe(before);
});

test('HTTP where TLS is spoken, and TLS where HTTP is, are 502', async () => {
  const plain = await openOrchestrator();
  await add('to-plain', { enabled: true, ca: authority.ca }, plain.port);
  const properties = orchestratorAdapter('to-tls', peer.port);
  await service.send('admin', 'POST', '/adapters', { properties });
  expect(await read('to-plain')).toMatchObject({ status: 502, json: { reason: 'TLS_FAILED' } });
  expect((await read('to-tls')).status).toBe(502);
});
