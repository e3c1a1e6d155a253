import { afterAll } from 'vitest';
import type { Mood } from '../../lab/devices/moods.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, type Device, openDevice } from '../../lab/devices/simulator.ts';
import { openGateway } from '../gateway.ts';

type Fields = Record<string, unknown>;

/** A gateway with simulated devices in its inventory, and commands sent to them. */
export async function openSimulatedHosts() {
  const gateway = await openGateway();
  const { done, send } = gateway;
  /** They are closed after the file's last test. */
  const devices: Device[] = [];
  afterAll(async () => {
    await gateway.platform.cli.close();
    await Promise.all(devices.map((device) => device.close()));
  });

  let counter = 0;

  /** A simulated device, in the inventory under a name of its own. */
  async function device(type: string, mood: Mood = {}, more: Fields = {}, hostKeys?: string[]) {
    const script = SCRIPTS.find(({ device_type }) => device_type === type);
    if (!script) throw new Error(`no device ${type}`);
    const simulated = await openDevice(script, { mood, ...(hostKeys && { hostKeys }) });
    devices.push(simulated);
    const name = `${type}-${++counter}`;
    await done('POST', '/inventory/cli', {
      host: {
        name,
        host: '127.0.0.1',
        port: simulated.port,
        device_type: type,
        username: ACCOUNT.username,
        password: ACCOUNT.password,
        enablePassword: ACCOUNT.enable,
        ...more,
      },
    });
    return { name, type, simulated };
  }

  const requested = (host: string, commands: unknown, options: Fields = {}, more: Fields = {}) => ({
    cliSendCommandParameters: {
      host,
      commands,
      connection_options: { device_type: 'cisco_ios', ...options },
      ...more,
    },
  });
  const run = (host: string, commands: unknown, options: Fields = {}, more: Fields = {}) =>
    send('POST', '/cli/send_command', requested(host, commands, options, more));

  return { ...gateway, devices, device, requested, run };
}
