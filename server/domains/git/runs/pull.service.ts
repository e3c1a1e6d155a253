import { inTransaction } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import type { GitRepository } from '#server/southbound/git/ports.ts';
import { KIND_RULES } from '../kinds/kinds.ts';
import { type Sides, verdictOf } from './compare.ts';
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
  const stored: Surveyed[] = [];
  for (const document of inStoringOrder(await survey(ctx, remote, repository, outcome))) {
    const { sides, path } = document;
    const asked = verdictOf('pull', sides, overwrite.has(path));
    // A user may have changed the document since the run began, which may be minutes ago.
    const verdict =
      asked.action === 'update' ? verdictOf('pull', await sidesNow(document), overwrite.has(path)) : asked;
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
        const fault = await store(ctx, document, repository, dryRun);
        if (fault !== null) outcome.issue(path, fault);
        else {
          outcome.document(verdict.action === 'create' ? 'new' : 'changed', document);
          stored.push(document);
        }
      }
    }
  }
  if (dryRun) return outcome;
  await settle(ctx, remote._id, [...settled, ...(await hashesOf(ctx, stored))]);
  return outcome;
}

const ORDER = Object.keys(KIND_RULES);
const inStoringOrder = (documents: readonly Surveyed[]) =>
  [...documents].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));

/** Returns both sides of a document with what is here now. */
async function sidesNow({ local, sides }: Surveyed): Promise<Sides> {
  if (!local) return sides;
  try {
    return { ...sides, local: await localHash(local) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return { ...sides, local: null };
    throw error;
  }
}

/** Stores a document. @returns why it could not be stored; null when it was */
async function store(
  ctx: WriteContext,
  { kind, path, remote }: Surveyed,
  repository: GitRepository,
  dryRun: boolean,
): Promise<string | null> {
  const texts = await repository.read([...new Set(remote.values())]);
  const files = new Map([...remote].map(([file, id]) => [file, texts.get(id) ?? '']));
  try {
    assertStorable([...files.values()]);
    await inTransaction(ctx.db, async (db) => {
      await KIND_RULES[kind].store({ ...ctx, db }, path, files);
      if (dryRun) throw new DryRun();
    });
  } catch (error) {
    if (error instanceof DryRun) return null;
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  return null;
}

/** Returns the hashes of documents that were stored: an import may have normalized them. */
async function hashesOf(ctx: WriteContext, stored: readonly Surveyed[]) {
  const hashes: { path: string; local: string | null; remote: string | null }[] = [];
  for (const kind of new Set(stored.map((one) => one.kind))) {
    const here = new Map((await KIND_RULES[kind].list(ctx)).map((one) => [one.path, one]));
    for (const { path, sides } of stored.filter((one) => one.kind === kind)) {
      const local = here.get(path);
      hashes.push({ path, local: local ? await localHash(local) : null, remote: sides.remote });
    }
  }
  return hashes;
}
