import { afterAll } from 'vitest';
import type { Mood } from '../../lab/devices/moods.ts';
import type { Script } from '../../lab/devices/script.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../../lab/devices/simulator.ts';
import { openService } from '../service.ts';

type Fields = Record<string, unknown>;

/**
 * A service with simulated devices in its inventory, which answer over SSH.
 *
 * @param options of the service, such as `works` for one that runs jobs
 */
export async function openLab(options: Parameters<typeof openService>[1] = {}) {
  const service = await openService({}, options);
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    await service.platform.cli.close();
    await Promise.all(closing.map((close) => close()));
  });

  /** The body of the answer to a request that must succeed. */
  const done = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await service.send('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };

  const addHost = (name: string, port: number, more: Fields = {}) =>
    done('POST', '/automationgateway/inventory/cli', {
      host: {
        name,
        host: '127.0.0.1',
        port,
        device_type: 'cisco_xe',
        username: ACCOUNT.username,
        password: ACCOUNT.password,
        ...more,
      },
    });

  /** A device that runs; its script may be changed while it does. */
  const addDevice = async (name: string, change: Partial<Script> = {}, mood: Mood = {}) => {
    const known = SCRIPTS.find(({ device_type }) => device_type === (change.device_type ?? 'cisco_xe'));
    if (!known) throw new Error(`no simulated device is called ${change.device_type}`);
    const script: Script = { ...known, ...change };
    const simulated = await openDevice(script, { mood });
    closing.push(simulated.close);
    await addHost(name, simulated.port, { device_type: script.device_type });
    return { script, simulated };
  };

  /** A host of the inventory at a port that nothing listens at. */
  const addDownDevice = async (name: string) => {
    const simulated = await openDevice({ ...(SCRIPTS[0] as Script) });
    await simulated.close();
    await addHost(name, simulated.port);
  };

  return { ...service, done, addDevice, addDownDevice };
}
