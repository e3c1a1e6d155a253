/**
 * Writes the npm package @switchyard/client into a folder: the types of every procedure and a client that is ready to use.
 * `node deploy/clients/build-typescript.mjs FOLDER`; publish it with `npm publish FOLDER`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = fileURLToPath(new URL('typescript/', import.meta.url));

const [, , target] = process.argv;
if (!target) {
  process.stderr.write('name a folder: node deploy/clients/build-typescript.mjs FOLDER\n');
  process.exit(64);
}
const folder = resolve(target);
execFileSync(process.execPath, [join(ROOT, 'docs/client/types.mjs'), folder], { stdio: 'inherit' });
for (const name of ['index.js', 'index.d.ts', 'README.md']) cpSync(join(SOURCES, name), join(folder, name));
cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));

const service = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { version, imports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const described = {
  name: '@switchyard/client',
  version,
  description: 'A typed client of Switchyard',
  license: service.license,
  type: 'module',
  engines: service.engines,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  imports,
  files: ['index.js', 'index.d.ts', 'db', 'routers', 'server', 'LICENSE', 'README.md'],
  dependencies: {
    '@trpc/client': service.devDependencies['@trpc/client'],
    '@trpc/server': service.dependencies['@trpc/server'],
    zod: service.dependencies.zod,
  },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
