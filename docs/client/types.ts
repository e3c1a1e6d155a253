import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const require = createRequire(import.meta.url);

/**
 * Write the types of the typed face as a package of their own, for a project that is not this one: declarations only,
 * no line that runs.
 *
 * @param folder  made when it is not there; what it holds of an earlier time is overwritten
 * @throws Error when they cannot be written
 */
export function writeTypes(folder: string): void {
  const outDir = resolve(folder);
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url));
  const compiler = require.resolve('typescript/bin/tsc');
  // What they are made of is checked by `npm run typecheck`: to do so again took half of the time.
  const wanted = ['--project', project, '--outDir', outDir, '--noCheck'];
  execFileSync(process.execPath, [compiler, ...wanted], { stdio: 'inherit' });
  const { version, license, dependencies } = packageJson;
  const described = {
    name: '@switchyard/client-types',
    version,
    license,
    type: 'module',
    exports: { '.': { types: './routers/index.d.ts' } },
    // The declarations keep the names by which our own files find one another.
    imports: {
      '#db/*.ts': './db/*.d.ts',
      '#routers/*.ts': './routers/*.d.ts',
      '#server/*.ts': './server/*.d.ts',
    },
    peerDependencies: { '@trpc/server': dependencies['@trpc/server'] },
  };
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
}

const [, script, folder] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error('say where: node --import tsx docs/client/types.ts <folder>');
  writeTypes(folder);
}
