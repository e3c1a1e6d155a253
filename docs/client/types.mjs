import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('tsconfig.json', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/@typescript/native/bin/tsc', import.meta.url));
const ENTRY = 'routers/index.d.ts';

/**
 * Writes the types of all procedures as a package for other projects: declarations only, no code that runs.
 *
 * @param {string} folder created when it does not exist; files of an earlier run are overwritten
 * @throws Error when they cannot be written
 */
function writeTypes(folder) {
  const target = resolve(folder);
  const all = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    // What they are made of is checked by `npm run typecheck`: only what prevents writing is reported here.
    const options = ['--project', PROJECT, '--noCheck', '--singleThreaded', '--outDir', all];
    execFileSync(process.execPath, [COMPILER, ...options], { stdio: 'inherit' });
    const wanted = new Set([ENTRY]);
    for (const name of wanted) {
      for (const next of namedIn(readFileSync(join(all, name), 'utf8'), name)) wanted.add(next);
      cpSync(join(all, name), join(target, name));
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
  describeTypes(target);
}

/**
 * Writes the description of the package beside its declarations.
 *
 * @param {string} folder
 */
export function describeTypes(folder) {
  const { version, license, dependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
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
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
}

/**
 * Returns the declarations of this repository that another one names: one in twenty of those that routers import.
 *
 * @param {string} declaration its text
 * @param {string} from its path within the package, as all of these are
 * @returns {string[]} their paths
 */
function namedIn(declaration, from) {
  const names = [...declaration.matchAll(/(?:\bfrom |\bimport\(|\bimport )["']([^"']+)["']/g)].map(
    ([, name]) => name,
  );
  return names
    .filter((name) => /^[#.]/.test(name))
    .map((name) =>
      (name.startsWith('#') ? name.slice(1) : join(dirname(from), name)).replace(/\.ts$/, '.d.ts'),
    );
}

const [, program = '', folder] = process.argv;
if (program !== '' && realpathSync(program) === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error('say where: node docs/client/types.mjs <folder>');
  writeTypes(folder);
}
