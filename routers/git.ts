import { z } from 'zod';
import { count } from '#db/schemas/fields.ts';
import { GitRemote, GitRemoteInput, GitRemoteUpdates } from '#db/schemas/git/remote.ts';
import { GitConflict, GitRun } from '#db/schemas/git/run.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createRemote,
  deleteRemote,
  getConflict,
  getRemote,
  getRun,
  listRemotes,
  listRuns,
  startRun,
  updateRemote,
} from '#server/domains/git/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from './authorization/answers.ts';
import { Created, SECRETS, Updated } from './automationgateway/answers.ts';

const PATH = '/git/remotes';
const OneRemote = z.strictObject({ id: ObjectId.describe('Id of the remote') });
const Started = z.object({ runId: ObjectId.describe('Id of the run') });

const Overwrite = z
  .array(z.string().min(1).max(1000))
  .max(1000)
  .optional()
  .describe('Files of documents whose conflict is settled: what this run brings replaces the other side');
const DryRun = z.boolean().optional().describe('True: nothing is written');

const RunEntry = GitRun.pick({
  runId: true,
  action: true,
  branch: true,
  dryRun: true,
  status: true,
  error: true,
  started: true,
  ended: true,
}).extend({
  counts: z
    .object({
      changes: count('documents that were written, or would be'),
      conflicts: count('documents that both sides changed'),
      issues: count('files that could not be read or stored'),
    })
    .describe('What the run found, at most 1000 of each outcome; zeros while it is under way'),
});

const BUSY = { 409: 'The remote is disabled, is for the other direction, or a run of it is under way.' };

export const git = router({
  listRemotes: allow(...ADMIN)
    .meta(rest('GET', PATH, 'List the Git remotes'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(GitRemote)))
    .query(({ ctx, input }) => listRemotes(ctx, input.queryOptions)),

  getRemote: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:id`, 'Read a Git remote'))
    .input(OneRemote)
    .output(answer(GitRemote))
    .query(({ ctx, input }) => getRemote(ctx, input.id)),

  createRemote: allow(...ADMIN)
    .meta(
      rest('POST', PATH, 'Store a new Git remote', {
        description: `${SECRETS} Pushes and pulls run with the rights of the account that last wrote the remote.`,
        errorResponses: { 409: 'The name is taken, or there are 100 remotes.' },
      }),
    )
    .input(z.strictObject({ remote: GitRemoteInput }))
    .output(answer(Created(GitRemote)))
    .mutation(write(({ ctx, input }) => createRemote(ctx, input.remote))),

  updateRemote: allow(...ADMIN)
    .meta(
      rest('PATCH', `${PATH}/:id`, 'Change fields of a Git remote', {
        description: `${SECRETS} Another host asks for the secrets anew. The caller becomes the account of the remote.`,
      }),
    )
    .input(OneRemote.extend({ remote: GitRemoteUpdates }))
    .output(answer(Updated(GitRemote)))
    .mutation(write(({ ctx, input }) => updateRemote(ctx, input.id, input.remote))),

  deleteRemote: allow(...ADMIN)
    .meta(rest('DELETE', `${PATH}/:id`, 'Delete a Git remote with its runs; the repository stays'))
    .input(OneRemote)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteRemote(ctx, input.id))),

  push: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/push`, 'Push the documents that changed here', {
        description:
          'One commit for each document, by the account that last changed it. With `branch`, to that branch, as a proposal. A document that the repository changed too is a conflict, and is not pushed.',
        inQuery: ['dryRun'],
        errorResponses: BUSY,
      }),
    )
    .input(
      OneRemote.extend({
        dryRun: DryRun,
        branch: z.string().min(1).max(200).optional().describe('Another branch, for a proposal'),
        overwrite: Overwrite,
      }),
    )
    .output(answer(Started))
    .mutation(
      write(({ ctx, input: { id, dryRun = false, ...request } }) =>
        startRun(ctx, id, { ...request, action: 'push', dryRun }),
      ),
    ),

  pull: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/pull`, 'Store the documents that changed in the repository', {
        description:
          'A document that was changed here too is a conflict, and is not stored. One that is missing in the repository is listed, and stays.',
        inQuery: ['dryRun'],
        errorResponses: BUSY,
      }),
    )
    .input(OneRemote.extend({ dryRun: DryRun, overwrite: Overwrite }))
    .output(answer(Started))
    .mutation(
      write(({ ctx, input: { id, dryRun = false, ...request } }) =>
        startRun(ctx, id, { ...request, action: 'pull', dryRun }),
      ),
    ),

  listRuns: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:id/runs`, 'List the pushes and pulls of a Git remote, newest first'))
    .input(OneRemote)
    .output(answer(Page(RunEntry)))
    .query(({ ctx, input }) => listRuns(ctx, input.id)),

  getRun: allow(...ADMIN)
    .meta(rest('GET', '/git/runs/:runId', 'Read a push or pull with its outcome'))
    .input(z.strictObject({ runId: ObjectId.describe('Id of the run') }))
    .output(answer(GitRun))
    .query(({ ctx, input }) => getRun(ctx, input.runId)),

  getConflict: allow(...ADMIN)
    .meta(
      rest('GET', '/git/runs/:runId/conflict', 'Read both sides of a document that is a conflict of a run', {
        description:
          'Both sides as they are now, so that a user can decide which one `overwrite` of a push or pull keeps. The repository is read for it, for at most one minute.',
        errorResponses: {
          409: 'The remote is disabled.',
          422: 'The repository has a link, a submodule, a file above 64 MiB or one that is not UTF-8 there.',
          502: 'The repository cannot be read.',
        },
      }),
    )
    .input(
      z.strictObject({
        runId: ObjectId.describe('Id of the run'),
        path: z.string().min(1).max(1000).describe('The `path` of the conflict'),
      }),
    )
    .output(answer(GitConflict))
    .query(({ ctx, input }) => getConflict(ctx, input.runId, input.path)),
});
