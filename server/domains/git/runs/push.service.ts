import { rows } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import { sql } from '#db/statement.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict } from '#server/kernel/errors.ts';
import type { GitRepository, NewCommit } from '#server/southbound/git/ports.ts';
import { verdictOf } from './compare.ts';
import { blobId, documentHash } from './hash.service.ts';
import { type Outcome, openOutcome } from './outcome.ts';
import { type Surveyed, settle, survey } from './survey.service.ts';

/** How a push is made. */
export type PushRequest = { branch: string; dryRun: boolean; overwrite: ReadonlySet<string> };

/** Most text that is turned into commits at once, in characters. */
const MOST_TEXT = 32 * 1024 * 1024;

type Planned = { document: Surveyed; commit: NewCommit; author: string; local: string | null };

/**
 * Pushes the documents that changed here: one commit for each, by the account that last changed it.
 *
 * @returns the outcome; null when the branch moved meanwhile and nothing was pushed
 * @throws ServiceError CONFLICT when the branch of a proposal has other commits; GitFailed
 */
export async function push(
  ctx: WriteContext,
  remote: GitRemote,
  repository: GitRepository,
  request: PushRequest,
): Promise<Outcome | null> {
  const outcome = openOutcome();
  const settled: Parameters<typeof settle>[2][number][] = [];
  const authors = await readAuthors(ctx);
  let pending: Planned[] = [];
  let size = 0;
  const flush = async () => {
    const ids = request.dryRun ? [] : await repository.commit(pending.map(({ commit }) => commit));
    for (const [at, { document, commit, author, local }] of pending.entries()) {
      outcome.commit({ id: ids[at] ?? '', author, message: commit.message });
      settled.push({ path: document.path, local, remote: local });
    }
    pending = [];
    size = 0;
  };
  for (const document of await survey(ctx, remote, repository, outcome)) {
    const { sides, path } = document;
    const verdict = verdictOf('push', sides, request.overwrite.has(path));
    switch (verdict.action) {
      case 'none':
        outcome.unchanged();
        if (verdict.settle) settled.push({ path, local: sides.local, remote: sides.remote });
        continue;
      case 'skip':
        continue;
      case 'conflict':
        outcome.conflict(document, verdict.reason);
        continue;
    }
    outcome.document(LISTS[verdict.action], document);
    const planned = await plan(document, {
      remote,
      verb: VERBS[verdict.action],
      authors,
      now: ctx.platform.now(),
    });
    pending.push(planned);
    for (const text of planned.commit.files.values()) size += text?.length ?? 0;
    if (size > MOST_TEXT) await flush();
  }
  await flush();
  if (request.dryRun) return outcome;
  const isProposal = request.branch !== remote.branch;
  if (outcome.result.commits.length > 0 && !(await repository.push(request.branch))) {
    if (!isProposal) return null;
    throw conflict(
      `Branch ${request.branch} has other commits in the repository already: choose another name, or delete it there`,
    );
  }
  // A proposal is not merged yet: what was the same last stays what it was.
  if (!isProposal) await settle(ctx, remote._id, settled);
  return outcome;
}

/** The list of the outcome that names a document, by what was done with it. */
const LISTS = { create: 'new', update: 'changed', remove: 'removed' } as const;

const VERBS = { create: 'add', update: 'update', remove: 'remove' } as const;

type PlanSource = {
  remote: GitRemote;
  verb: string;
  authors: ReadonlyMap<string, Account>;
  now: Date;
};

async function plan(document: Surveyed, { remote, verb, authors, now }: PlanSource): Promise<Planned> {
  const { local, kind, name, remote: there } = document;
  const prefix = remote.path ? `${remote.path}/` : '';
  const texts = local ? await local.read() : new Map<string, string>();
  const files = new Map<string, string | null>([...texts].map(([path, text]) => [`${prefix}${path}`, text]));
  for (const path of there.keys()) if (!texts.has(path)) files.set(`${prefix}${path}`, null);
  const account = authors.get(local?.author ?? '') ?? authors.get(remote.runAs);
  const author = account ?? { username: 'unknown', email: '' };
  return {
    document,
    author: author.username,
    local:
      texts.size > 0 ? documentHash(new Map([...texts].map(([path, text]) => [path, blobId(text)]))) : null,
    commit: {
      message: `${kind}: ${verb} ${name.replace(/\s+/g, ' ')}`,
      author: { name: author.username, email: author.email || `${author.username}@switchyard.invalid` },
      time: now.getTime(),
      files,
    },
  };
}

type Account = { username: string; email: string };

/** Most accounts that are known by name. */
const MOST_ACCOUNTS = 100_000;

/** Returns the accounts by their ids and by their names: documents name their authors by either. */
async function readAuthors({ db }: WriteContext): Promise<Map<string, Account>> {
  const found = await rows<Account & { id: string }>(
    db,
    sql`select id, coalesce(doc ->> 'username', id) as username, coalesce(doc ->> 'email', '') as email
        from accounts limit ${MOST_ACCOUNTS}::int`,
  );
  return new Map(
    found.flatMap(({ id, ...account }) => [[account.username, account] as const, [id, account] as const]),
  );
}
