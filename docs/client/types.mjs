import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const PROJECT = fileURLToPath(new URL('tsconfig.json', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));

/**
 * Writes the types of all procedures as a package for other projects: declarations only, no code that runs.
 *
 * @param {string} folder created when it does not exist; files of an earlier run are overwritten
 * @throws Error when they cannot be written
 */
function writeTypes(folder) {
  const outDir = resolve(folder);
  const program = openProgram(outDir);
  const wanted = new Set(program.getRootFileNames());
  for (const name of wanted) {
    const source = program.getSourceFile(name);
    if (!source) throw new Error(`${name} is missing`);
    // What it is made of is checked by `npm run typecheck`: only what prevents writing is reported here.
    const { emitSkipped, diagnostics } = program.emit(source, (path, text) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      for (const next of namedIn(text, name, program.getCompilerOptions())) wanted.add(next);
    });
    if (emitSkipped || diagnostics.length > 0) throw new Error(textOf(diagnostics));
  }
  describeTypes(outDir);
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

/** Returns a program of the routers and all that they import. @param {string} outDir @returns {ts.Program} */
function openProgram(outDir) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const parsed = ts.getParsedCommandLineOfConfigFile(PROJECT, { outDir, noCheck: true }, host);
  if (!parsed || parsed.errors.length > 0) throw new Error(textOf(parsed?.errors ?? []));
  return ts.createProgram(parsed.fileNames, parsed.options);
}

/**
 * Returns the files of this repository that a declaration names: one in twenty of those that routers import.
 *
 * @param {string} declaration its text
 * @param {string} from its source
 * @param {ts.CompilerOptions} options
 * @returns {string[]} their paths
 */
function namedIn(declaration, from, options) {
  const names = new Set(ts.preProcessFile(declaration).importedFiles.map(({ fileName }) => fileName));
  return [...names].flatMap((name) => {
    const { resolvedModule } = ts.resolveModuleName(name, from, options, ts.sys);
    const own = resolvedModule && !resolvedModule.isExternalLibraryImport;
    return own ? [resolvedModule.resolvedFileName] : [];
  });
}

/** @param {ts.Diagnostic} diagnostic */
function fail(diagnostic) {
  throw new Error(textOf([diagnostic]));
}

/** @param {readonly ts.Diagnostic[]} diagnostics */
const textOf = (diagnostics) =>
  ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });

const [, program = '', folder] = process.argv;
if (program !== '' && realpathSync(program) === fileURLToPath(import.meta.url)) {
  if (!folder) throw new Error('say where: node docs/client/types.mjs <folder>');
  writeTypes(folder);
}
