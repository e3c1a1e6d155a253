import { afterAll } from 'vitest';
import type { Script } from '../../lab/devices/script.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../../lab/devices/simulator.ts';
import type { openService } from '../service.ts';

/**
 * Opens a simulated Cisco IOS XE device and adds it to the inventory of a service as `edge-1`. It ends with the test file.
 *
 * @param change what it answers otherwise than the script of its kind
 * @returns its script, which no other device shares: a test may change it
 */
export async function addEdge(
  { platform, send }: Pick<Awaited<ReturnType<typeof openService>>, 'platform' | 'send'>,
  change: Partial<Script> = {},
): Promise<Script> {
  const known = SCRIPTS.find(({ device_type }) => device_type === 'cisco_xe');
  if (!known) throw new Error('no simulated device is a cisco_xe');
  const script = { ...known, ...change };
  const device = await openDevice(script);
  afterAll(async () => {
    await platform.cli.close();
    await device.close();
  });
  const { username, password } = ACCOUNT;
  const at = { host: '127.0.0.1', port: device.port, device_type: 'cisco_xe' };
  const answer = await send('admin', 'POST', '/automationgateway/inventory/cli', {
    host: { name: 'edge-1', ...at, username, password },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return script;
}
