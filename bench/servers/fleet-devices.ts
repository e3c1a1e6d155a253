import { SCRIPTS } from '../../test/lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../../test/lab/devices/simulator.ts';

/** Two simulated devices with a configuration of 700 lines: one answers at once, the other takes a second for each answer. */
const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
if (!script) throw new Error('there is a simulated device of this kind');
const running = Array.from({ length: 350 }, (_, n) => [
  `interface GigabitEthernet0/${n}`,
  ` description port ${n}`,
]);
const config = {
  show: 'show running-config',
  enter: 'configure terminal',
  prompt: 'edge-r1(config)#',
  leave: 'end',
  running: ['hostname edge-r1', ...running.flat()],
};
const fast = await openDevice(script, { mood: { config } });
const slow = await openDevice(script, { mood: { config, delayMs: 1000 } });
const closed = await openDevice(script, {});
await closed.close();
const ports = { fast: fast.port, slow: slow.port, closed: closed.port };
process.stdout.write(`${JSON.stringify({ ...ports, ...ACCOUNT })}\n`);
