import { join } from 'node:path';
import { newId } from '#db/ids.ts';
import type { GitConflict, GitConflictFile } from '#db/schemas/git/run.ts';
import type { Uses, WriteContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden, notFound, ServiceError, unavailable } from '#server/kernel/errors.ts';
import type { Request } from '#server/kernel/platform.ts';
import { mayCall, rolesNeeded } from '#server/kernel/principal.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { GitFailed, type GitRepository } from '#server/southbound/git/ports.ts';
import { KIND_RULES } from '../kinds/kinds.ts';
import { reach, readOpenedRemote, withoutItsSecrets } from './access.service.ts';
import { readRun } from './runs.service.ts';

/** Time limit of a comparison in milliseconds: somebody waits for it. */
const COMPARE_MS = 60_000;
const TOO_LATE = `the repository was not read within ${COMPARE_MS / 1000} seconds`;
/** Longest text of a side, in characters. */
const MOST_TEXT = 1_000_000;
/** Comparisons at the same time, each of which holds a copy of a repository, and those that wait. */
const AT_ONCE = 2;
const waitForTurn = openKeyedSemaphore(20);

type CompareContext = WriteContext<'config' | 'git' | 'secrets'> &
  Uses<'vault'> & { request: Pick<Request, 'gone'> };

/**
 * Returns both sides of a document of a run's conflicts, as they are now: what the caller may read here, and what the
 * repository has on the branch of the remote.
 *
 * @param path its main file, as the run names it
 * @throws ServiceError NOT_FOUND for the run, and for a document that is none of its conflicts; FORBIDDEN without the right to
 *   read such documents; CONFLICT for a disabled remote; SERVICE_UNAVAILABLE while many others compare; BAD_GATEWAY when the
 *   repository cannot be read; UNPROCESSABLE_CONTENT for a file that is not read, or is not UTF-8 text
 */
export async function getConflict(ctx: CompareContext, runId: string, path: string): Promise<GitConflict> {
  const { db, principal, platform } = ctx;
  const run = await readRun(db, runId);
  if (!run) throw notFound('Git run', runId);
  const found = run.result?.documents.conflicts.find((one) => one.path === path);
  if (!found) throw notFound('Conflict of the run', path);
  const { permission, roles } = KIND_RULES[found.kind].reads;
  if (!mayCall(principal, roles, permission))
    throw forbidden(`Account ${principal.username} may not read ${found.kind}: ${rolesNeeded(roles)}`);
  const opened = await readOpenedRemote(db, platform, run.remoteId);
  if (opened.enabled === false) throw conflict(`Remote ${opened.name} is disabled`);
  const { remote, target } = await reach(platform, opened, principal);
  const signal = AbortSignal.any([AbortSignal.timeout(COMPARE_MS), ctx.request.gone()]);
  const { branch, path: folder = '' } = remote;
  try {
    return await withoutItsSecrets(remote, signal, TOO_LATE, async () => {
      const release = await waitForTurn('git', AT_ONCE, signal);
      if (!release) throw unavailable('Many documents are being compared: try again');
      try {
        // A folder of its own: a run of the same remote may be under way.
        const copy = join(platform.config.dataDir, 'git', newId(platform.now().getTime()));
        const there = await platform.git.use({ target, branch, folder: copy, signal }, (repository) =>
          filesThere(repository, found, folder),
        );
        return { ...found, branch, files: sideBySide(await filesHere(ctx, found), there) };
      } finally {
        release();
      }
    });
  } catch (error) {
    if (error instanceof GitFailed) throw new ServiceError('BAD_GATEWAY', error.message);
    throw error;
  }
}

type Found = Pick<GitConflict, 'kind' | 'name' | 'path'>;
type Files = ReadonlyMap<string, string>;

async function filesHere(ctx: WriteContext, { kind, name, path }: Found): Promise<Files> {
  const local = (await KIND_RULES[kind].list(ctx, name)).find((one) => one.path === path);
  return local ? local.read() : new Map();
}

async function filesThere(repository: GitRepository, { kind, path }: Found, folder: string): Promise<Files> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const { folder: own, mainFile } = KIND_RULES[kind];
  const { files, rejected } = await repository.list(`${prefix}${own}`);
  const unread = rejected.find((entry) => mainFile(entry.path.slice(prefix.length)) === path);
  if (unread) throw new ServiceError('UNPROCESSABLE_CONTENT', `${unread.path} ${unread.reason}`);
  const parts = files
    .map(({ path: whole, id }) => ({ file: whole.slice(prefix.length), id }))
    .filter(({ file }) => mainFile(file) === path);
  const texts = await repository.read(parts.map(({ id }) => id));
  return new Map(
    parts.map(({ file, id }) => {
      const text = texts.get(id) ?? null;
      if (text === null)
        throw new ServiceError('UNPROCESSABLE_CONTENT', `${file} in the repository is not UTF-8 text`);
      return [file, text];
    }),
  );
}

function sideBySide(here: Files, there: Files): GitConflictFile[] {
  return [...new Set([...here.keys(), ...there.keys()])].sort().map((path) => {
    const sides = [here.get(path) ?? null, there.get(path) ?? null] as const;
    const [mine, theirs] = sides.map((text) => text?.slice(0, MOST_TEXT) ?? null);
    return {
      path,
      here: mine ?? null,
      there: theirs ?? null,
      isShortened: sides.some((text) => text !== null && text.length > MOST_TEXT),
    };
  });
}
