import { isUtf8 } from 'node:buffer';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FindProxy } from '../http/outbound-proxy.ts';
import { checkedRoute } from './address.ts';
import { environmentFor } from './environment.ts';
import { gitFailure } from './failures.ts';
import { fastImport } from './fast-import.ts';
import {
  GitFailed,
  type GitFile,
  type GitPort,
  type GitRepository,
  type GitTarget,
  type RejectedEntry,
} from './ports.ts';
import { type GitCall, gitOutput, runGit } from './program.ts';
import { watchSize } from './watch-size.ts';

/** The branch of the copy. */
const LOCAL_REF = 'refs/heads/switchyard';
const FETCHED = 'refs/remotes/origin/branch';
/** Most files of a repository below one folder, and the largest one that is read, in bytes. */
const MOST_FILES = 50_000;
const LARGEST = 64 * 1024 * 1024;
/** Largest list of files, in bytes: a few objects can list billions of files, and the list is held in memory. */
const LONGEST_LIST = 64 * 1024 * 1024;

/** Limits of the access to one repository. */
const LIMITS = {
  /** Largest copy of a repository, in bytes. */
  mostBytes: 1024 * 1024 * 1024,
  /** How long a server may send next to nothing, in seconds; over SSH twice as long. */
  silentSeconds: 30,
  /** Most memory for the list of branches, in bytes: a server may send names without an end. */
  listBytes: 512 * 1024 * 1024,
};

/**
 * Opens the access to Git repositories.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached; true also allows plain HTTP
 * @param findProxy returns the proxy of requests to a host; undefined: they are sent directly
 * @param limits other limits, for tests
 */
export const openGit = ({
  allowPrivateTargets,
  findProxy = () => undefined,
  limits: given = {},
}: {
  allowPrivateTargets: boolean;
  findProxy?: FindProxy;
  limits?: Partial<typeof LIMITS>;
}): GitPort => ({
  use: async ({ target, branch, folder, signal }, use) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const limits = { ...LIMITS, ...given };
    const stop = new AbortController();
    const size = watchSize(folder, limits.mostBytes, (error) => stop.abort(error));
    try {
      const route = await checkedRoute(new URL(target.url), allowPrivateTargets, findProxy);
      const env = await environmentFor(target, folder, route, {
        allowHttp: allowPrivateTargets,
        silentSeconds: limits.silentSeconds,
      });
      const call: GitCall = {
        folder,
        env,
        signal: AbortSignal.any([signal, stop.signal]),
        // For HTTP the program itself has such a limit, and its helper never rests.
        silentMs: limits.silentSeconds * 2000,
      };
      await gitOutput(['init', '--quiet', '--bare', '--', 'repository'], call);
      const inside = { ...call, folder: join(folder, 'repository') };
      const head = await fetchBranch(target, branch, inside, limits);
      // It may have grown since it was last measured.
      await size.check();
      stop.signal.throwIfAborted();
      return await use(repositoryOf(target.repository, head, inside));
    } finally {
      size.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

async function fetchBranch(
  { url, repository }: GitTarget,
  branch: string,
  call: GitCall,
  { silentSeconds, listBytes }: typeof LIMITS,
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const list = ['ls-remote', '--heads', '--', repository, ref];
  // The list is short, and SSH has no limit for a server that is silent after the sign-in.
  const listing = { ...call, limitMs: silentSeconds * 2000, memoryBytes: listBytes };
  const refs = (await gitOutput(list, listing)).toString('utf8');
  if (!refs.split('\n').some((line) => line.endsWith(`\t${ref}`))) {
    // Over SSH, git rejects an answer that is not that of a Git server.
    if (!url.startsWith('ssh:')) await assertGitServer(list, listing);
    return null;
  }
  await gitOutput(
    [
      ...['fetch', '--quiet', '--no-tags', '--depth=1', '--no-write-fetch-head'],
      ...['--', repository, `+${ref}:${FETCHED}`],
    ],
    call,
  );
  return (await gitOutput(['rev-parse', '--verify', '--end-of-options', FETCHED], call))
    .toString('utf8')
    .trim();
}

/**
 * Rejects an HTTP server that lists no branch because it is no Git server: git accepts any answer without a line break,
 * such as an empty one, as the list of an empty repository. Only a Git server answers in packets, which git traces.
 *
 * @param list arguments of git that list branches
 * @throws GitFailed when the server does not answer in packets
 */
async function assertGitServer(list: readonly string[], call: GitCall): Promise<void> {
  const { code, error } = await runGit(list, { ...call, env: { ...call.env, GIT_TRACE_PACKET: '1' } });
  if (code !== 0) throw gitFailure(error || `git ended with ${code}`);
  if (!/ packet: +\S+< /.test(error))
    throw new GitFailed(
      'the answer is not that of a Git server: there is no Git repository at the URL of the remote',
    );
}

function repositoryOf(repository: string, head: string | null, call: GitCall): GitRepository {
  let newest = head;
  return {
    head,
    list: async (folder) => {
      if (head === null) return { files: [], rejected: [] };
      await assertFolder(head, folder, call);
      const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', head];
      const listing = { ...call, outputBytes: LONGEST_LIST };
      const out = await gitOutput(folder === '' ? args : [...args, '--', `${folder}/`], listing);
      const lines = out.toString('latin1').split('\0').filter(Boolean);
      if (lines.length > MOST_FILES)
        throw new GitFailed(`the repository has more than ${MOST_FILES} files there`);
      return entriesOf(lines);
    },
    read: async (ids) => {
      if (ids.length === 0) return new Map();
      const input = ids.map((id) => `${id}\n`);
      return contentsOf(await gitOutput(['cat-file', '--batch'], { ...call, input }));
    },
    commit: async (commits) => {
      if (commits.length === 0) return [];
      const marks = join(call.folder, 'marks');
      const input = fastImport(LOCAL_REF, newest, commits);
      await gitOutput(['fast-import', '--quiet', '--done', '--force', `--export-marks=${marks}`], {
        ...call,
        input,
      });
      const lines = (await readFile(marks, 'utf8')).split('\n').filter(Boolean);
      const ids = new Map(lines.map((line) => line.split(' ') as [string, string]));
      newest = ids.get(`:${commits.length}`) ?? newest;
      return commits.map((_, at) => ids.get(`:${at + 1}`) ?? '');
    },
    push: async (branch) => {
      if (newest === null) return true;
      const args = ['push', '--porcelain', '--', repository, `${newest}:refs/heads/${branch}`];
      const { code, out, error } = await runGit(args, call);
      if (code === 0) return true;
      const text = out.toString('utf8');
      if (/\((fetch first|non-fast-forward|stale info|cannot lock ref)/.test(text)) return false;
      const refused = /^!.*\[(.*)$/m.exec(text)?.[1];
      throw gitFailure(error || refused || `git ended with ${code}`);
    },
  };
}

/**
 * Rejects a folder that is a file, a link or a submodule in the repository, or below one: nothing is listed there, and a
 * commit would replace it.
 *
 * @throws GitFailed that names it
 */
async function assertFolder(head: string, folder: string, call: GitCall): Promise<void> {
  if (folder === '') return;
  const entries = async (...args: string[]) =>
    (await gitOutput(['ls-tree', '-z', '--full-tree', ...args], call))
      .toString('utf8')
      .split('\0')
      .filter(Boolean);
  const parts = folder.split('/');
  // Lists the folders on the way as well; it ends at the first that is none.
  const known = await entries('-t', head, '--', folder);
  const folders = known.filter((line) => line.startsWith('040000 ')).length;
  if (folders === parts.length) return;
  const first = parts.slice(0, folders + 1).join('/');
  const [entry] = await entries(head, '--', first);
  if (entry !== undefined)
    throw new GitFailed(
      `${first} ${NOT_READ[entry.slice(0, 6)]?.split(',')[0] ?? 'is a file'} in the repository, and must be a folder: rename it there, or choose another path in the remote`,
    );
}

/** Parses lines of `ls-tree`, with a character for each byte: `<mode> <type> <id> <size>\t<path>`. */
function entriesOf(lines: readonly string[]): { files: GitFile[]; rejected: RejectedEntry[] } {
  const files: GitFile[] = [];
  const rejected: RejectedEntry[] = [];
  for (const line of lines) {
    const [, mode = '', id = '', size, written = ''] =
      /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    const bytes = Buffer.from(written, 'latin1');
    const isText = isUtf8(bytes);
    // Each invalid byte would become the same character, and two names one.
    const path = isText ? bytes.toString('utf8') : escapedBytes(written);
    const reason = NOT_READ[mode] ?? (Number(size) > LARGEST ? 'is larger than 64 MiB' : undefined);
    if (reason !== undefined) rejected.push({ path, id: `${mode} ${id}`, reason });
    else if (isText) files.push({ path, id, size: Number(size) });
    else rejected.push({ path, id, reason: 'has a name that is not UTF-8: rename it in the repository' });
  }
  return { files, rejected };
}

/** Returns a name whose bytes above 127 are percent-encoded. @param name with a character for each byte */
const escapedBytes = (name: string) =>
  name.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** Modes of entries that are not read: what they refer to lies outside of the repository, or anywhere in it. */
const NOT_READ: Readonly<Record<string, string>> = {
  '120000': 'is a symbolic link, which is not followed',
  '160000': 'is a submodule, which is not fetched',
};

/** Parses what `cat-file --batch` prints: `<id> <type> <size>\n<content>\n` for each object. */
function contentsOf(out: Buffer): Map<string, string | null> {
  const contents = new Map<string, string | null>();
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at);
    if (end < 0) break;
    const [id = '', type, size] = out.toString('utf8', at, end).split(' ');
    if (type !== 'blob') throw new GitFailed('the repository lacks a file that it lists');
    const start = end + 1;
    const bytes = out.subarray(start, start + Number(size));
    contents.set(id, isUtf8(bytes) ? bytes.toString('utf8') : null);
    at = start + Number(size) + 1;
  }
  return contents;
}
