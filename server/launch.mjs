/**
 * Starts the service: compiles its TypeScript in one go and runs that. Loading 250 files one by one through a loader
 * takes a second and a half of every start; this takes a tenth (docs/decisions/0007). It compiles at every start, so
 * there is nothing to keep in step and nothing to forget.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What was compiled for code that has changed since is kept this long: a process that runs may still load parts. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** A module that asks where it stands is told where its source stands: migrations and pages lie beside that. */
const sourceUrls = {
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

// The engine makes objects old at birth where those made there before lived long. A few requests that wait decide so for
// all that follow, and each old one keeps young ones alive: most of what a request makes survived it, and clearing it
// away took a quarter of the time (bench/http, docs/decisions/0008).
setFlagsFromString('--no-allocation-site-pretenuring');

/** @returns the compiled files by name; packages stay where npm put them */
async function compile(entries) {
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
    plugins: [sourceUrls],
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
  const shelf = join(ROOT, 'node_modules', '.cache', 'switchyard');
  const folder = join(shelf, hash.digest('hex').slice(0, 32));
  if (
    await access(folder).then(
      () => true,
      () => false,
    )
  )
    return folder;
  await mkdir(shelf, { recursive: true });
  const draft = await mkdtemp(join(shelf, 'draft-'));
  for (const { name, contents } of files) await writeFile(join(draft, name), contents);
  // Another process that starts at the same time has put the same there.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  await clearAway(shelf, folder);
  return folder;
}

async function clearAway(shelf, current) {
  for (const name of await readdir(shelf)) {
    const folder = join(shelf, name);
    const { mtimeMs } = await stat(folder);
    if (folder !== current && Date.now() - mtimeMs > KEPT_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

/** Who may not write beside the packages (installed by root, run by another) loads file by file, and starts slower. */
async function run(entries) {
  const folder = await place(await compile(entries)).catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  });
  if (folder) return import(pathToFileURL(join(folder, 'main.mjs')).href);
  const { register } = await import('tsx/esm/api');
  register();
  return import(pathToFileURL(join(ROOT, entries.main)).href);
}

// Threads find their code beside the rest, by its name here (server/thread.ts).
await run({ main: 'server/main.ts', thread: 'server/threads.ts' });
