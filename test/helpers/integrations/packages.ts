import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { treeDigest } from '#server/kernel/files/tree-digest.ts';
import { openPackages, type PackagesOptions } from '#server/southbound/packages/packages.ts';
import type { PackageInstance } from '#server/southbound/packages/ports.ts';
import { makeFolder } from '../folder.ts';

/** Folder of the packages that tests bring along. */
const FIXTURES = join(import.meta.dirname, '../../fixtures/adapters');

/** The host of packages with what it logs; it is closed after the test. */
export async function openHost(options: Partial<PackagesOptions> = {}) {
  const folder = await makeFolder();
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const packages = openPackages({
    allowPrivateTargets: true,
    namespace: 'auto',
    directory: join(folder, 'adapters'),
    logOf: (instance) => log.child({ instance }),
    ...options,
  });
  onTestFinished(packages.close);

  /** A package of one file, `adapter.js`. */
  const packageWith = async (name: string, code: string): Promise<PackageInstance> => {
    const directory = join(folder, 'adapters', name, '1.0.0');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'adapter.js'), code);
    return instanceOf(name, directory);
  };
  /** The package of the tests, in the style of public ones. */
  const warehouse = (instance: string, properties: Readonly<Record<string, unknown>>) =>
    instanceOf(instance, join(FIXTURES, 'warehouse'), properties);
  return { packages, lines, folder, packageWith, warehouse };
}

async function instanceOf(
  instance: string,
  directory: string,
  properties: Readonly<Record<string, unknown>> = { host: '127.0.0.1' },
): Promise<PackageInstance> {
  const digest = await treeDigest(directory);
  const of = { type: 'Warehouse', version: '1.0.0', directory, entry: 'adapter.js', digest };
  return { instance, properties, package: of };
}
