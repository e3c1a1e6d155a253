/** A service that is killed while a package of it computes: prints the id of the package's process, then waits. */
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { openPackages } from '#server/southbound/packages/packages.ts';
import type { PackageInstance } from '#server/southbound/packages/ports.ts';

const { directory, instance } = (await json(process.stdin)) as {
  directory: string;
  instance: PackageInstance;
};
const packages = openPackages({
  allowPrivateTargets: true,
  namespace: 'auto',
  directory,
  logOf: () => pino({ level: 'silent' }),
});
await packages.start(instance);
void packages.call({ ...instance, method: 'loop', args: [] });
setTimeout(() => process.stdout.write(`${packages.state(instance.instance).pid}\n`), 500);
