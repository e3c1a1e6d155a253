import { SCRIPTS } from '../../test/lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../../test/lab/devices/simulator.ts';

const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
if (!script) throw new Error('there is a simulated device of this kind');
const { exec: _, ...privileged } = script;
const { port } = await openDevice(privileged);
process.stdout.write(`${JSON.stringify({ port, ...ACCOUNT })}\n`);
