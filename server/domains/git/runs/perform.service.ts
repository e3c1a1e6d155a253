import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import type { GitResult } from '#db/schemas/git/run.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { type Caller, mayCall, rolesNeeded, seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { permitsConfigurations } from '#server/kernel/secrets/masked-answer.ts';
import { GitFailed } from '#server/southbound/git/ports.ts';
import { KIND_RULES } from '../kinds/kinds.ts';
import { reach, readOpenedRemote, withoutItsSecrets } from './access.service.ts';
import { pull } from './pull.service.ts';
import { push } from './push.service.ts';
import type { RunRow } from './runs.service.ts';

/** Time limit of a run in milliseconds. */
const RUN_MS = 30 * 60_000;
const TOO_LATE = `the run did not finish within ${RUN_MS / 60_000} minutes`;
/** Attempts of a push whose branch moves meanwhile. */
const ATTEMPTS = 3;
/** Attempts to reach a server, and the pause before the second one in milliseconds, which grows fourfold. */
const CONTACTS = 3;
const PAUSE_MS = 1000;

/**
 * Carries out a run as the account of its remote, with the rights that it has now.
 *
 * @throws ServiceError when the account may not do it; GitFailed when the repository cannot be reached or rejects it
 */
export async function perform(db: Database, platform: WorkPlatform, run: RunRow): Promise<GitResult> {
  const opened = await readOpenedRemote(db, platform, run.remoteId);
  const principal = await activeCaller({ db, platform }, opened.runAs, 'the account of the remote');
  assertMay(principal, opened, run.action);
  const { remote, target } = await reach(platform, opened, principal);
  const ctx: WriteContext = { db, principal, platform, request: { ifMatch: null }, answer: { headers: {} } };
  const overwrite = new Set(run.overwrite);
  const request = {
    target,
    branch: remote.branch,
    folder: join(platform.config.dataDir, 'git', run.id),
    signal: AbortSignal.timeout(RUN_MS),
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await withoutItsSecrets(remote, request.signal, TOO_LATE, () =>
      repeated(request.signal, () =>
        platform.git.use(request, (repository) =>
          run.action === 'push'
            ? push(ctx, remote, repository, { branch: run.branch, dryRun: run.dryRun, overwrite })
            : pull(ctx, remote, repository, { dryRun: run.dryRun, overwrite }),
        ),
      ),
    );
    if (outcome) return outcome.result;
  }
  throw conflict(`Branch ${run.branch} kept moving while documents were pushed: try again`);
}

/**
 * Repeats what failed because the server was not reached, with growing pauses. Both sides are compared anew each time, so that
 * nothing is written twice.
 */
async function repeated<Result>(signal: AbortSignal, use: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await use();
    } catch (error) {
      if (!(error instanceof GitFailed) || !error.mayRetry || attempt === CONTACTS) throw error;
      await sleep(PAUSE_MS * 4 ** (attempt - 1), undefined, { signal });
    }
  }
}

function assertMay(principal: Caller, remote: GitRemote, action: 'push' | 'pull'): void {
  for (const kind of remote.kinds) {
    const { permission, roles } = KIND_RULES[kind][action === 'push' ? 'reads' : 'writes'];
    if (!mayCall(principal, roles, permission))
      throw forbidden(`Account ${principal.username} may not ${action} ${kind}: ${rolesNeeded(roles)}`);
    // A repository has whole texts: a push would replace the secrets by masks or reveal them, a pull confirm a guess.
    if (permitsConfigurations(permission) && !seesConfigurationSecrets(principal))
      throw forbidden(
        `Account ${principal.username} reads masks in place of secrets, and may not ${action} ${kind}: that needs the permission ConfigurationManager.getBackupWithSecrets`,
      );
  }
}
