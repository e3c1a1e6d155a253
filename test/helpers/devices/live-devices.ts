import { afterAll } from 'vitest';
import type { ConfigMode, Mood } from '../../lab/devices/moods.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, type Device, openDevice } from '../../lab/devices/simulator.ts';

const IOS: Omit<ConfigMode, 'running'> = {
  show: 'show running-config',
  enter: 'configure terminal',
  prompt: 'edge-r1(config)#',
  leave: 'end',
};
const JUNOS: Omit<ConfigMode, 'running'> = {
  show: 'show configuration',
  enter: 'configure exclusive',
  prompt: 'svc@mx-1# ',
  leave: 'exit configuration-mode',
  apply: 'commit',
  abandon: 'rollback 0',
  check: 'commit check',
};
const MODES: Readonly<Record<string, Omit<ConfigMode, 'running'>>> = { cisco_ios: IOS, juniper_junos: JUNOS };

type Done = (method: string, path: string, body?: unknown) => Promise<unknown>;

let counter = 0;

/**
 * Makes simulated devices that can be configured, each in the inventory under a name of its own.
 *
 * @param done sends a request to the service that must succeed, at a path from its root
 */
export function liveDevices(done: Done, cli: { close: () => Promise<void> }) {
  const devices: Device[] = [];
  afterAll(async () => {
    await cli.close();
    await Promise.all(devices.map((device) => device.close()));
  });
  return async (running: readonly string[], type = 'cisco_ios', more: Mood = {}, host: object = {}) => {
    const script = SCRIPTS.find(({ device_type }) => device_type === type);
    const mode = MODES[type];
    if (!script || !mode) throw new Error(`no device ${type}`);
    const config: ConfigMode = { ...mode, running: [...running] };
    const simulated = await openDevice(script, { mood: { ...more, config } });
    devices.push(simulated);
    // Lists and waves sort by name, and a worker counts on from file to file: 10 comes after 9.
    const name = `live-${String(++counter).padStart(4, '0')}`;
    await done('POST', '/automationgateway/inventory/cli', {
      host: {
        name,
        host: '127.0.0.1',
        port: simulated.port,
        device_type: type,
        username: ACCOUNT.username,
        password: ACCOUNT.password,
        enablePassword: ACCOUNT.enable,
        ...host,
      },
    });
    return { name, simulated, config };
  };
}
