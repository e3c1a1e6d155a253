import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import { gitRemotes } from '#db/tables/git/remotes.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { GitFailed, type GitTarget } from '#server/southbound/git/ports.ts';
import { repositoryArgument, repositoryUrl, withoutSecrets } from '../remotes/remote-rules.ts';
import { openedRemote } from '../remotes/remotes.service.ts';

/**
 * Returns a remote with its secrets, or references to them.
 *
 * @returns a copy that must not be stored or answered
 * @throws ServiceError NOT_FOUND
 */
export async function readOpenedRemote(
  db: Database,
  { vault }: Uses<'vault'>['platform'],
  id: string,
): Promise<GitRemote> {
  const [row] = await db
    .select({ doc: gitRemotes.doc, secrets: gitRemotes.secrets })
    .from(gitRemotes)
    .where(eq(gitRemotes.id, id));
  if (!row) throw notFound('Git remote', id);
  return openedRemote(vault, row.doc, row.secrets);
}

/**
 * Returns how the repository of a remote is reached.
 *
 * @param opened as `readOpenedRemote` returns it
 * @param account for which secrets of other systems are read
 * @returns the remote with all its secrets, and its repository; neither may be stored or answered
 * @throws ServiceError when another system does not answer a secret
 */
export async function reach(
  { secrets }: Uses<'secrets'>['platform'],
  opened: GitRemote,
  account: Caller,
): Promise<{ remote: GitRemote; target: GitTarget }> {
  const use = { kind: 'git_remotes', name: opened.name, account };
  const credential = await secrets.resolve(opened.credential, use);
  const { url, hostKeys = [], ca } = opened;
  return {
    remote: { ...opened, credential },
    target: {
      url: repositoryUrl(url) ?? '',
      repository: repositoryArgument(url) ?? '',
      username: credential?.username,
      token: credential?.token ?? undefined,
      privateKey: credential?.privateKey ?? undefined,
      hostKeys,
      ca: ca ?? undefined,
    },
  };
}

/**
 * Calls git, whose messages may repeat what a server sent: without the secrets of the remote.
 *
 * @param tooLate the message when `signal` has aborted
 * @throws GitFailed
 */
export async function withoutItsSecrets<Result>(
  remote: GitRemote,
  signal: AbortSignal,
  tooLate: string,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof GitFailed) throw new GitFailed(withoutSecrets(error.message, remote));
    if (signal.aborted) throw new GitFailed(tooLate);
    throw error;
  }
}
