import { inTransaction } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import type { GitRepository } from '#server/southbound/git/ports.ts';
import { KIND_RULES } from '../kinds/kinds.ts';
import { type Sides, verdictOf } from './compare.ts';
import { contentFault } from './content-fault.ts';
import { type Outcome, openOutcome } from './outcome.ts';
import { localHash, type Surveyed, settle, survey } from './survey.service.ts';

/** How a pull is made. */
export type PullRequest = { dryRun: boolean; overwrite: ReadonlySet<string> };

/** Thrown to roll back the storing of a dry run. */
class DryRun extends Error {}

/**
 * Stores the documents that changed in the repository, each in a transaction of its own. What was removed there is kept
 * here and listed; in a dry run everything is stored and rolled back, so that its issues are known.
 *
 * @param overwrite paths of documents whose conflict the repository wins
 * @returns what was stored, conflicts, and an issue for each file that could not be read or stored
 * @throws ServiceError UNPROCESSABLE_CONTENT for more than 20,000 documents; GitFailed
 */
export async function pull(
  ctx: WriteContext,
  remote: GitRemote,
  repository: GitRepository,
  { dryRun, overwrite }: PullRequest,
): Promise<Outcome> {
  const outcome = openOutcome();
  const settled: Parameters<typeof settle>[2][number][] = [];
  for (const document of inStoringOrder(await survey(ctx, remote, repository, outcome))) {
    const { sides, path, isReadable } = document;
    // The survey has named its files as issues.
    if (!isReadable) continue;
    const asked = verdictOf('pull', sides, overwrite.has(path));
    // A user may have changed the document since the run began, which may be minutes ago.
    const writes = asked.action === 'create' || asked.action === 'update';
    const verdict = writes ? verdictOf('pull', await sidesNow(ctx, document), overwrite.has(path)) : asked;
    switch (verdict.action) {
      case 'none':
        outcome.unchanged();
        if (verdict.settle) settled.push({ path, local: sides.local, remote: sides.remote });
        break;
      case 'skip':
        break;
      case 'conflict':
        outcome.conflict(document, verdict.reason);
        break;
      case 'remove':
        outcome.document('removed', document);
        break;
      default: {
        const fault = await store(ctx, remote._id, document, repository, dryRun);
        if (fault !== null) outcome.issue(path, fault);
        else outcome.document(verdict.action === 'create' ? 'new' : 'changed', document);
      }
    }
  }
  if (!dryRun) await settle(ctx, remote._id, settled);
  return outcome;
}

const ORDER = Object.keys(KIND_RULES);
const inStoringOrder = (documents: readonly Surveyed[]) =>
  [...documents].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));

/** Returns both sides of a document with what is here now. One that the survey did not find may be hidden from the account. */
const sidesNow = async (ctx: WriteContext, { kind, path, name, local, sides }: Surveyed): Promise<Sides> => ({
  ...sides,
  local: (await hashHere(ctx, kind, path, name)) ?? (local ? null : sides.local),
});

/** Returns the hash of a document as it is here now; null when it is not, or is hidden from the account. */
async function hashHere(
  ctx: WriteContext,
  kind: Surveyed['kind'],
  path: string,
  name: string,
): Promise<string | null> {
  const local = (await KIND_RULES[kind].list(ctx, name)).find((one) => one.path === path);
  if (!local) return null;
  try {
    return await localHash(local);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/**
 * Stores a document, and in the same transaction that both sides are the same now: what a user changes later, or after the
 * run was cut short, is a change of this side. An import may normalize a document, so that the hashes differ.
 *
 * @returns why it could not be stored; null when it was
 */
async function store(
  ctx: WriteContext,
  remoteId: string,
  { kind, path, remote, sides }: Surveyed,
  repository: GitRepository,
  dryRun: boolean,
): Promise<string | null> {
  const texts = await repository.read([...new Set(remote.values())]);
  const files = new Map<string, string>();
  for (const [file, id] of remote) {
    const text = texts.get(id) ?? null;
    const fault = contentFault(text);
    if (text === null || fault !== null) return `${file} ${fault}`;
    files.set(file, text);
  }
  try {
    assertStorable([...files.values()]);
    await inTransaction(ctx.db, async (db) => {
      const within = { ...ctx, db };
      const name = await KIND_RULES[kind].store(within, path, files);
      if (dryRun) throw new DryRun();
      const local = await hashHere(within, kind, path, name);
      await settle(within, remoteId, [{ path, local, remote: sides.remote }]);
    });
  } catch (error) {
    if (error instanceof DryRun) return null;
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  return null;
}
