/**
 * Bundles the TypeScript sources into one folder that node can run, unless an up-to-date bundle exists. Loading
 * hundreds of files one by one through a loader takes seconds at every start; bundling takes a tenth of that, and
 * reusing a bundle takes nothing (docs/decisions/0007).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

const CACHE = join(ROOT, 'node_modules', '.cache', 'switchyard');

/** Files that a bundle depends on besides the sources: module resolution, the compiler version, and this file. */
const OTHER_INPUTS = [
  'package.json',
  'tsconfig.json',
  'node_modules/esbuild/package.json',
  'server/app/compile.mjs',
];

/** How long the bundle of older code is kept, in milliseconds: a running process may still load parts of it. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * Replaces `import.meta.url` by the URL of the source file, because migrations and pages lie next to the source.
 *
 * @param {Map<string, string>} read receives the text of each file that was read, by path
 */
const sourceUrls = (read) => ({
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.([cm]?[jt]s|json)$/ }, ({ path }) => {
      // One after the other: the files are more than some systems let a process open.
      const text = readFileSync(path, 'utf8');
      read.set(path, text);
      if (path.endsWith('.json')) return { contents: text, loader: 'json' };
      const url = JSON.stringify(pathToFileURL(path).href);
      // A pattern, because the text itself would be replaced here when this file is part of the bundle.
      return { contents: text.replaceAll(/import\.meta\.url/g, url), loader: 'ts' };
    });
  },
});

/**
 * Bundles programs that may start one another and returns how to run each; packages stay in node_modules. An earlier
 * bundle is reused while every source is unchanged. Where the process may not write (installed by root, run by another
 * user), it uses the loader instead and starts more slowly.
 *
 * @param {Record<string, string>} programs path of each source from the root of the checkout, by program name
 * @returns {Promise<(name: string) => string[]>} maps a program's name to the node arguments that run it
 */
export async function compile(programs) {
  // Threads load their code from the same folder, under this name (supervised-thread.ts).
  const entries = { ...programs, thread: 'server/app/work/thread-entries.ts' };
  const folder =
    (await compiledBefore(entries)) ??
    (await compileNow(entries).catch((error) => {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    }));
  return (name) => (folder ? [join(folder, `${name}.mjs`)] : ['--import', 'tsx', join(ROOT, programs[name])]);
}

/** Compiles a program and runs it in this process. @param {string} source path from the root of the checkout */
export async function run(source) {
  const command = (await compile({ main: source }))('main');
  if (command.length > 1) (await import('tsx/esm/api')).register();
  await import(pathToFileURL(command.at(-1)).href);
}

/** Returns the path of the record of the latest bundle of these programs in this checkout; others may share the folder. */
const recordOf = (entries) => {
  const hash = createHash('sha256').update(JSON.stringify([ROOT, entries]));
  return join(CACHE, `${hash.digest('hex').slice(0, 32)}.json`);
};

/** Returns the folder of the bundle made from identical sources; undefined when none exists or it cannot be determined. */
async function compiledBefore(entries) {
  try {
    const { sources, digest, folder } = JSON.parse(await readFile(recordOf(entries), 'utf8'));
    if (digestOf(readAll(sources)) !== digest) return undefined;
    await markUsed(folder);
    return folder;
  } catch {
    // Never compiled, removed since, or a source is missing.
    return undefined;
  }
}

async function compileNow(entries) {
  const read = readAll(OTHER_INPUTS.map((name) => join(ROOT, name)));
  const folder = await writeBundle(await bundle(entries, read));
  // sorted: they are read at the same time, and two builds of an image must be equal
  const record = { sources: [...read.keys()].sort(), digest: digestOf(read), folder };
  const draft = join(folder, `record-${process.pid}`);
  // When this write fails, the next start compiles again.
  await writeFile(draft, JSON.stringify(record))
    .then(() => rename(draft, recordOf(entries)))
    .catch(() => undefined);
  return folder;
}

/** Returns the text of each file, by path. Nothing else runs yet, and asynchronous reads take six times the CPU time. */
const readAll = (paths) => new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));

/** Returns a digest of the contents of these files. */
function digestOf(texts) {
  const hash = createHash('sha256');
  for (const path of [...texts.keys()].sort())
    hash.update(`${path} ${texts.get(path).length} `).update(texts.get(path));
  return hash.digest('hex');
}

/** @param read receives the text of each source, by path */
async function bundle(entries, read) {
  // Loaded only when a bundle has to be made.
  const { build, stop } = await import('esbuild');
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
  // It is a process of its own, which wakes up forty times a second.
  await stop();
  return outputFiles.map(({ path, contents }) => ({
    name: path.slice(join(ROOT, 'compiled').length + 1),
    contents,
  }));
}

/** Writes the files atomically to the folder that they run from. @returns the folder */
async function writeBundle(files) {
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(name).update(contents);
  const folder = join(CACHE, hash.digest('hex').slice(0, 32));
  const exists = await markUsed(folder).then(
    () => true,
    () => false,
  );
  if (exists) return folder;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'draft-'));
  for (const { name, contents } of files) await writeFile(join(draft, name), contents);
  // Another process that started at the same time has already put the same files there.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  await removeOldBundles(folder);
  return folder;
}

/** Marks the folder as in use, so that other processes do not remove it. Throws when it is missing or not readable. */
async function markUsed(folder) {
  await access(folder, constants.R_OK | constants.X_OK);
  await utimes(folder, new Date(), new Date()).catch(() => undefined);
}

async function removeOldBundles(current) {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    // Another process may have removed it meanwhile.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (path !== current && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}
