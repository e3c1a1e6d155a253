/** Runs where large packets are lost: connects to a device over SSH, and prints the message of the failure and how long it took. */
import { openCli } from '#server/southbound/cli/cli.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { openDevice } from '../../lab/devices/simulator.ts';
import { at, never } from '../devices/cli.ts';

const script = SCRIPTS.find(({ device_type }) => device_type === 'frr');
if (!script) throw new Error('there is no such device');
const device = await openDevice(script);
const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
const start = performance.now();
const message = await cli
  .run(at(device, { name: 'far-1', deviceType: 'frr', connectMs: 4000 }), ['show version'], never(60_000))
  .then(
    () => 'connected',
    (error: Error) => error.message,
  );
process.stdout.write(JSON.stringify({ message, ms: Math.round(performance.now() - start) }));
process.exit();
