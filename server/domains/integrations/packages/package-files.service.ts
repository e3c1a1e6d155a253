import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '#server/kernel/errors.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { PackageFiles } from './package-reading.ts';

const run = promisify(execFile);

/** Largest file that is read, in bytes. */
const LARGEST = 16 * 1024 * 1024;

/** Most bytes to which an archive may unpack: a package with its modules has at most so many (treeDigest). */
const MOST_UNPACKED = 1024 * 1024 * 1024;

/** Time for npm and tar, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

const unusable = (message: string) => new ServiceError('BAD_REQUEST', message);

/** Reads the files of a package that say what it is. Nothing of it is executed. */
export async function readPackageFiles(folder: string): Promise<PackageFiles> {
  const json = async (name: string) => {
    const text = await textOf(join(folder, name));
    if (text === null) return null;
    const value = jsonOr(text, undefined);
    if (value === undefined) throw unusable(`${name} of the package is not JSON`);
    return value;
  };
  const pronghorn = await json('pronghorn.json');
  if (pronghorn === null) throw unusable(`${folder} has no pronghorn.json: it is no adapter package`);
  const [propertiesSchema, propertiesDecorators, packageJson] = await Promise.all([
    json('propertiesSchema.json'),
    json('propertiesDecorators.json'),
    json('package.json'),
  ]);
  const entities = new Map<string, unknown>();
  for (const entity of await namesIn(join(folder, 'entities')))
    entities.set(entity, await json(join('entities', entity, 'action.json')));
  const { src, main } = { ...(packageJson as { main?: unknown }), ...(pronghorn as { src?: unknown }) };
  const entry = [src, main, 'adapter.js'].find((name) => typeof name === 'string') as string;
  const sources = await Promise.all(
    [entry, 'adapterBase.js'].map((name) => textOf(join(folder, basename(name)))),
  );
  return {
    pronghorn,
    propertiesSchema,
    propertiesDecorators,
    packageJson,
    entities,
    sources: sources.filter((text) => text !== null),
    ownModules: await modulesIn(folder),
  };
}

/** Returns the text of a file; null when it does not exist. Links are not followed. */
async function textOf(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isFile()) return null;
  if (found.size > LARGEST) throw unusable(`${basename(path)} of the package is larger than 16 MiB`);
  return readFile(path, 'utf8');
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Returns the names of the modules in the node_modules of a folder. */
export async function modulesIn(folder: string): Promise<string[]> {
  const names = await namesIn(join(folder, 'node_modules'));
  const scoped = names
    .filter((name) => name.startsWith('@'))
    .map(async (scope) =>
      (await namesIn(join(folder, 'node_modules', scope))).map((name) => `${scope}/${name}`),
    );
  return [...names.filter((name) => !name.startsWith('@')), ...(await Promise.all(scoped)).flat()];
}

/**
 * Copies a package into a new folder below `directory`: from a folder, a .tgz file, or by npm from its registry. Scripts
 * of the package are never run.
 *
 * @param source path of a folder or .tgz file, or `name@version`
 * @param mostBytes to which an archive may unpack
 * @returns the folder with the package, and a function that removes everything that was made
 * @throws ServiceError BAD_REQUEST for what is no package
 */
export async function fetchPackage(source: string, directory: string, mostBytes = MOST_UNPACKED) {
  await mkdir(directory, { recursive: true });
  const draft = await mkdtemp(join(directory, '.draft-'));
  const discard = () => rm(draft, { recursive: true, force: true });
  try {
    const found = await stat(resolve(source)).catch(() => null);
    if (found?.isDirectory()) {
      const folder = join(draft, 'package');
      await cp(resolve(source), folder, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => basename(path) !== '.git',
      });
      return { folder, discard };
    }
    const archive = found?.isFile() ? resolve(source) : await packed(source, draft);
    const folder = join(draft, 'unpacked');
    await mkdir(folder);
    await unpack(archive, folder, { source, mostBytes });
    const [only, ...others] = await namesIn(folder);
    const inner = only !== undefined && others.length === 0 ? join(folder, only) : folder;
    return { folder: inner, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Codes of errors that say that the reader of a stream has ended. */
const LEFT_UNREAD = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Unpacks a .tgz file. What comes out is counted before it is on the disk: a thousandth of it may be in the file. */
async function unpack(
  archive: string,
  folder: string,
  { source, mostBytes }: { source: string; mostBytes: number },
): Promise<void> {
  const tar = spawn('tar', ['--no-same-owner', '-x', '-C', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: TIMEOUT_MS,
  });
  const ended = once(tar, 'close').catch(() => [null]);
  let bytes = 0;
  const counted = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      bytes += part.length;
      if (bytes > mostBytes) throw unusable(`${source} unpacks to more than ${mostBytes / 1024 / 1024} MiB`);
      yield part;
    }
  };
  const fault = await pipeline(createReadStream(archive), createGunzip(), counted, tar.stdin).then(
    () => null,
    // tar reads no further than the end of the archive, which padding may follow: its exit code says whether it found that.
    (error: NodeJS.ErrnoException) => (LEFT_UNREAD.has(error.code ?? '') ? null : error),
  );
  if (fault) tar.kill('SIGKILL');
  const [code] = await ended;
  if (fault instanceof ServiceError) throw fault;
  if (fault || code !== 0) throw unusable(`${source} is no .tgz file that can be unpacked`);
}

/** Fetches a package from the registry of npm. @returns the path of its .tgz file */
async function packed(name: string, folder: string): Promise<string> {
  if (!/^(@[\w.-]+\/)?[\w.-]+@[\w.^~-]+$/.test(name))
    throw unusable(`${name} is neither a folder, a .tgz file, nor name@version`);
  await npm(['pack', name, '--ignore-scripts', '--silent', '--pack-destination', folder]);
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (!archive) throw unusable(`npm fetched no archive of ${name}`);
  return join(folder, archive);
}

/** Installs modules that all packages share. @param folder receives `node_modules` */
export async function installModules(folder: string, modules: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await npm([
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--silent',
    ...modules,
  ]);
  await openToAll(folder);
}

async function npm(args: readonly string[]): Promise<void> {
  try {
    await run('npm', [...args], { timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const [line = message] = stderr.split('\n').filter((one) => /error/i.test(one));
    throw new ServiceError('BAD_GATEWAY', `npm ${args[0]} failed: ${line.trim().slice(0, 300)}`);
  }
}

/** Moves a package to its place, which replaces what was there. */
export async function placePackage(from: string, to: string): Promise<void> {
  await openToAll(from);
  await mkdir(resolve(to, '..'), { recursive: true });
  await chmod(resolve(to, '..'), 0o755);
  const old = `${to}.old-${process.pid}`;
  // A new package replaces nothing. Where the old one cannot be moved, the next line fails.
  await rename(to, old).catch(() => undefined);
  await rename(from, to);
  await rm(old, { recursive: true, force: true });
}

/** Removes the files of a version of a package. */
export const discardPackage = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Lets every account read: processes of packages run as another one where they can. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}
