/**
 * Compiles TypeScript in one go to where it can be run from, unless that has been done. Loading hundreds of files one by one
 * through a loader takes seconds of every start; this takes a tenth, and nothing when they are what they were
 * (docs/decisions/0007).
 */
import { createHash } from 'node:crypto';
import {
  access,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SHELF = join(ROOT, 'node_modules', '.cache', 'switchyard');

/** What a compilation depends on beside the sources: how they find one another, which compiler, and this file. */
const BESIDES = [
  'package.json',
  'tsconfig.json',
  'node_modules/esbuild/package.json',
  'server/app/compile.mjs',
];

/** What was compiled for code that has changed since is kept this long: a process that runs may still load parts. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * A module that asks where it stands is told where its source stands: migrations and pages lie beside that.
 *
 * @param {Map<string, string>} read gets what was read, by path
 */
const sourceUrls = (read) => ({
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.(m?[jt]s|json)$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      read.set(path, text);
      if (path.endsWith('.json')) return { contents: text, loader: 'json' };
      const url = JSON.stringify(pathToFileURL(path).href);
      // A pattern, for this text is replaced here as well when this file is part of what is compiled.
      return { contents: text.replaceAll(/import\.meta\.url/g, url), loader: 'ts' };
    });
  },
});

/**
 * What runs a program, compiled together with others that it may start; packages stay where npm put them. What was compiled
 * before is used again as long as every source is what it was. Who may not write beside those (installed by root, run by
 * another) runs it through the loader, and starts slower.
 *
 * @param {Record<string, string>} programs their sources from the root of the checkout, by names
 * @returns {Promise<(name: string) => string[]>} arguments of node that run one of them
 */
export async function compile(programs) {
  // Threads find their code beside the rest, by its name here (supervised-thread.ts).
  const entries = { ...programs, thread: 'server/app/work/thread-entries.ts' };
  const folder =
    (await compiledBefore(entries)) ??
    (await compileNow(entries).catch((error) => {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    }));
  return (name) => (folder ? [join(folder, `${name}.mjs`)] : ['--import', 'tsx', join(ROOT, programs[name])]);
}

/** Compile a program and run it in this process. @param {string} source from the root of the checkout */
export async function run(source) {
  const command = (await compile({ main: source }))('main');
  if (command.length > 1) (await import('tsx/esm/api')).register();
  await import(pathToFileURL(command.at(-1)).href);
}

/** Where it is written down what was made last of these programs, and of what: two checkouts may share their packages. */
const recordOf = (entries) => {
  const asked = createHash('sha256').update(JSON.stringify([ROOT, entries]));
  return join(SHELF, `${asked.digest('hex').slice(0, 32)}.json`);
};

/** The folder of what was compiled of the very same sources; undefined when there is none, or it cannot be told. */
async function compiledBefore(entries) {
  try {
    const { sources, digest, folder } = JSON.parse(await readFile(recordOf(entries), 'utf8'));
    if (digestOf(await readAll(sources)) !== digest) return undefined;
    await keep(folder);
    return folder;
  } catch {
    // Never compiled, cleared away, or a source is gone.
    return undefined;
  }
}

async function compileNow(entries) {
  const read = await readAll(BESIDES.map((name) => join(ROOT, name)));
  const folder = await place(await bundle(entries, read));
  const record = { sources: [...read.keys()], digest: digestOf(read), folder };
  const draft = join(folder, `record-${process.pid}`);
  // Without it the next start compiles again.
  await writeFile(draft, JSON.stringify(record))
    .then(() => rename(draft, recordOf(entries)))
    .catch(() => undefined);
  return folder;
}

const readAll = async (paths) =>
  new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));

/** What these files say, in a word. */
function digestOf(texts) {
  const hash = createHash('sha256');
  for (const path of [...texts.keys()].sort())
    hash.update(`${path} ${texts.get(path).length} `).update(texts.get(path));
  return hash.digest('hex');
}

/** @param read gets the sources, by path */
async function bundle(entries, read) {
  // Loaded only when there is something to compile.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir: 'compiled',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [sourceUrls(read)],
    logLevel: 'silent',
    write: false,
  });
  return outputFiles.map(({ path, contents }) => ({
    name: path.slice(join(ROOT, 'compiled').length + 1),
    contents,
  }));
}

/** Puts the files where they can be run from, whole or not at all. @returns their folder */
async function place(files) {
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(name).update(contents);
  const folder = join(SHELF, hash.digest('hex').slice(0, 32));
  const kept = await keep(folder).then(
    () => true,
    () => false,
  );
  if (kept) return folder;
  await mkdir(SHELF, { recursive: true });
  const draft = await mkdtemp(join(SHELF, 'draft-'));
  for (const { name, contents } of files) await writeFile(join(draft, name), contents);
  // Another process that starts at the same time has put the same there.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  await clearAway(folder);
  return folder;
}

/** It is of use to somebody: others do not clear it away. Throws when it is not there, or not for us to read. */
async function keep(folder) {
  await access(folder, constants.R_OK | constants.X_OK);
  await utimes(folder, new Date(), new Date()).catch(() => undefined);
}

async function clearAway(current) {
  for (const name of await readdir(SHELF)) {
    const path = join(SHELF, name);
    // Another process may have cleared it away meanwhile.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (path !== current && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}
