import { expect, test } from 'vitest';
import { openSimulatedHosts } from '../../helpers/devices/simulated-hosts.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const { device, devices, done, run } = await openSimulatedHosts();

/** Another device at the address of a host, which no inventory knows. */
async function stranger(port?: number) {
  const [script] = SCRIPTS;
  if (!script) throw new Error('there are scripts');
  const simulated = await openDevice(script, {
    hostKeys: [newHostKey()],
    ...(port !== undefined && { port }),
  });
  devices.push(simulated);
  return simulated;
}
const { password, enable: secret } = ACCOUNT;

type Host = { hostKey: { fingerprint: string | null; ports?: Record<string, { fingerprint: string }> } };

test('a call that names another port sends no stored credential there', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { port, ...other } = await stranger();
  const answer = await run(name, ['show version'], { port });
  expect(answer).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['connection_options', 'port'], code: 'stored_credential' }] },
  });
  expect(answer.text).toContain('allowOverrides');
  expect(answer.text).not.toContain(password);
  // The enable password is a stored credential, too.
  expect((await run(name, ['show version'], { port, password })).status).toBe(400);
  expect([other.logins, other.sessions, simulated.sessions]).toEqual([0, 0, 0]);
  expect((await run(name, ['show version'], { port, password, secret })).status).toBe(200);
  expect((await run(name, ['show version'], { port: simulated.port })).status).toBe(200);
});

test('a host that allows overrides has its stored credential sent to another port', async () => {
  const { name } = await device('cisco_ios', {}, { options: { allowOverrides: true } });
  const { port } = await stranger();
  expect((await run(name, ['show version'], { port })).status).toBe(200);
});

test('no stored credential reaches a host of unknown key through a jump host of the call', async () => {
  const jump = await device('linux');
  jump.simulated.forwards = true;
  const { name, simulated } = await device('cisco_ios');
  const through = () => run(name, ['show version'], { jump_host: jump.name });
  expect(await through()).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['connection_options', 'jump_host'] }] },
  });
  expect([simulated.sessions, jump.simulated.sessions]).toEqual([0, 0]);
  expect((await run(name, ['show version'])).status).toBe(200);
  expect((await through()).status).toBe(200);
});

test('a host key is stored for its port, and is not accepted at another one', async () => {
  const { name, simulated } = await device('cisco_ios', {}, { options: { allowOverrides: true } });
  const other = await stranger();
  const { port } = other;
  expect((await run(name, ['show version'])).status).toBe(200);
  expect((await run(name, ['show version'], { port })).status).toBe(200);
  const { hostKey } = await done<Host>('GET', `/inventory/cli/${name}`);
  const ofPort = hostKey.ports?.[String(port)]?.fingerprint;
  expect(hostKey.fingerprint).toMatch(/^SHA256:/);
  expect(ofPort).toMatch(/^SHA256:/);
  expect(ofPort).not.toBe(hostKey.fingerprint);
  await other.close();
  await stranger(port);
  expect(await run(name, ['show version'], { port })).toMatchObject({
    status: 502,
    json: { reason: 'HOST_KEY_CHANGED' },
  });
  expect((await run(name, ['show version'], { port: simulated.port })).status).toBe(200);
  expect((await done<Host>('GET', `/inventory/cli/${name}`)).hostKey).toMatchObject({
    fingerprint: hostKey.fingerprint,
    ports: { [String(port)]: { fingerprint: ofPort } },
  });
});

test('a pinned host is reached at no other port, since no key is known there', async () => {
  const { name } = await device(
    'cisco_ios',
    {},
    { hostKey: { policy: 'pinned' }, options: { allowOverrides: true } },
  );
  const { port } = await stranger();
  expect(await run(name, ['show version'], { port })).toMatchObject({
    status: 502,
    json: { reason: 'HOST_KEY_UNKNOWN' },
  });
});
