/**
 * Compiles TypeScript in one go to where it can be run from. Loading 250 files one by one through a loader takes a second
 * and a half of every start; this takes a tenth (docs/decisions/0007).
 */
import { createHash } from 'node:crypto';
import {
  access,
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
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What was compiled for code that has changed since is kept this long: a process that runs may still load parts. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** A module that asks where it stands is told where its source stands: migrations and pages lie beside that. */
const sourceUrls = {
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      // A pattern, for this text is replaced here as well when this file is part of what is compiled.
      return { contents: text.replaceAll(/import\.meta\.url/g, url), loader: 'ts' };
    });
  },
};

/**
 * What runs a program, compiled together with others that it may start; packages stay where npm put them. Who may not
 * write beside those (installed by root, run by another) runs it through the loader, and starts slower.
 *
 * @param {Record<string, string>} programs their sources from the root of the checkout, by names
 * @returns {Promise<(name: string) => string[]>} arguments of node that run one of them
 */
export async function compile(programs) {
  // Threads find their code beside the rest, by its name here (thread.ts).
  const entries = { ...programs, thread: 'server/threads.ts' };
  const folder = await place(await bundle(entries)).catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  });
  return (name) => (folder ? [join(folder, `${name}.mjs`)] : ['--import', 'tsx', join(ROOT, programs[name])]);
}

/** Compile a program and run it in this process. @param {string} source from the root of the checkout */
export async function run(source) {
  const command = (await compile({ main: source }))('main');
  if (command.length > 1) (await import('tsx/esm/api')).register();
  await import(pathToFileURL(command.at(-1)).href);
}

async function bundle(entries) {
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
  ) {
    // It is of use to somebody: others do not clear it away.
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return folder;
  }
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
