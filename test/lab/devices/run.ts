import { nameOf } from '../world.ts';
import { configuredDevice } from './configured-device.ts';
import { SCRIPTS } from './scripts.ts';
import { ACCOUNT, openDevice } from './simulator.ts';
import { SYSTEMS } from './systems.ts';

/**
 * Simulated devices as a process of their own: `node --import tsx test/lab/devices/run.ts cisco_ios=2301 linux=2302`.
 * Without arguments one of each kind, on free ports. Prints a line of JSON for each.
 */
const wanted = process.argv.slice(2).map((argument) => argument.split('='));
const chosen = wanted.length > 0 ? wanted : SCRIPTS.map(({ device_type }) => [device_type]);
for (const [type, port = '0'] of chosen) {
  const script = SCRIPTS.find(({ device_type }) => device_type === type);
  if (!script) throw new Error(`no simulated device is called ${type}`);
  const configured = SYSTEMS.some(({ device_type }) => device_type === type)
    ? configuredDevice(type ?? '', nameOf(type ?? ''))
    : undefined;
  const device = await openDevice(configured?.script ?? script, {
    port: Number(port),
    ...(configured && { configured }),
  });
  const { username, password, enable } = ACCOUNT;
  process.stdout.write(
    `${JSON.stringify({ device_type: type, port: device.port, username, password, enable })}\n`,
  );
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
