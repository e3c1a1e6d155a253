/**
 * Builds the console into web/dist unless it is up to date: `node web/build.mjs`. The build goes into a folder of its own
 * first and replaces the previous one at its end, so that the service never serves half of one.
 */
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const WEB = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(WEB, 'dist');
/** Holds the digest of the sources that a build was made from. */
const MARK = 'sources.txt';

const filesBelow = async (folder) =>
  (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Returns a digest of everything that a build depends on: the sources, their settings, and the versions of packages. */
async function digestOfSources() {
  const files = [
    ...(await filesBelow(join(WEB, 'src'))),
    ...['index.html', 'vite.config.ts', 'build.mjs'].map((name) => join(WEB, name)),
    join(WEB, '..', 'package-lock.json'),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    hash
      .update(relative(WEB, file))
      .update('\0')
      .update(await readFile(file));
  }
  return hash.digest('hex');
}

/** The fonts are files of others: their licences stay with them. */
async function copyLicences(folder) {
  await mkdir(join(folder, 'licences'));
  for (const name of ['inter', 'jetbrains-mono']) {
    const licence = join(WEB, '..', 'node_modules/@fontsource-variable', name, 'LICENSE');
    await copyFile(licence, join(folder, 'licences', `${name}.txt`));
  }
}

/** Writes the compressed forms of every asset beside it, so that no request compresses anything. */
async function compressAssets(folder) {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  const assets = join(folder, 'assets');
  await Promise.all(
    (await readdir(assets)).map(async (name) => {
      const content = await readFile(join(assets, name));
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(join(assets, `${name}.br`), await brotli(content, { params }));
      await writeFile(join(assets, `${name}.gz`), await zip(content, { level: 9 }));
    }),
  );
}

/**
 * Builds the console when its sources have changed since the last build.
 *
 * @returns {Promise<'built' | 'current'>} whether a build was made
 */
export async function buildConsole() {
  const digest = await digestOfSources().catch(() => undefined);
  const before = await readFile(join(DIST, MARK), 'utf8').catch(() => undefined);
  // An installation that carries a build carries no sources.
  if (before !== undefined && (digest === undefined || before === digest)) return 'current';
  const { build } = await import('vite');
  const draft = await mkdtemp(join(WEB, '.build-'));
  // Vite would build React's development form for tests that call this.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: draft, emptyOutDir: true },
    });
    await compressAssets(draft);
    await copyLicences(draft);
    await writeFile(join(draft, MARK), digest ?? '');
    // mkdtemp makes folders that only their owner may read.
    await chmod(draft, 0o755);
    const old = `${draft}-old`;
    await rename(DIST, old).catch(() => undefined);
    await rename(draft, DIST);
    await rm(old, { recursive: true, force: true });
    return 'built';
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process finished the same build first.
    if ((await readFile(join(DIST, MARK), 'utf8').catch(() => undefined)) === digest) return 'current';
    throw error;
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const isQuiet = process.argv.includes('--quiet');
  try {
    const outcome = await buildConsole();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (!isQuiet) {
      process.stderr.write(
        outcome === 'built' ? `console: built in ${seconds} s\n` : 'console: web/dist is up to date\n',
      );
    }
  } catch (error) {
    // The service itself serves without a console.
    const reason =
      error.code === 'ERR_MODULE_NOT_FOUND'
        ? `${error.message}. Build it where all packages are installed: npm ci && npm run web:build && npm prune --omit=dev`
        : error.message;
    process.stderr.write(`console: not built: ${reason}\n`);
    process.exitCode = 1;
  }
}
