import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';
import { GIT_KINDS } from './remote.ts';

const GitDocument = z.object({
  kind: z.enum(GIT_KINDS),
  name: z.string().describe('Name of the document'),
  path: z.string().describe('Its file; of a device backup, the configuration'),
});
export type GitDocument = z.infer<typeof GitDocument>;

const Conflict = GitDocument.extend({ reason: z.string().describe('Why neither side replaces the other') });

/** What a run did, or would do. */
export const GitResult = z.object({
  commits: z
    .array(
      z.object({
        id: z.string().describe('Id of the commit; empty in a dry run'),
        author: z.string().describe('Account that last changed the document'),
        message: z.string(),
      }),
    )
    .describe('Commits of a push, at most 1000'),
  documents: z
    .object({
      new: z.array(GitDocument).describe('Documents that the other side did not have'),
      changed: z.array(GitDocument),
      removed: z
        .array(GitDocument)
        .describe('Push: deleted in the repository. Pull: missing there, and kept here'),
      conflicts: z.array(Conflict).describe('Documents that both sides changed; nothing was written'),
    })
    .describe('Documents by what became of them, at most 1000 of each'),
  issues: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .describe('Files that could not be read or stored, at most 1000'),
  unchanged: z.int().min(0).describe('Number of documents that are the same on both sides'),
});
export type GitResult = z.infer<typeof GitResult>;

/** A push or pull. */
export const GitRun = GitResult.extend({
  runId: ObjectId,
  remote: ObjectId.describe('Id of the remote'),
  action: z.enum(['push', 'pull']),
  branch: z.string().describe('Branch that is pushed to or pulled from'),
  dryRun: z.boolean(),
  status: z.enum(['running', 'complete', 'error']),
  error: z.string().nullable().describe('Why the run failed'),
  startedBy: z.string().describe('Id of the account that started it'),
  started: Timestamp,
  ended: Timestamp.nullable(),
}).meta({ id: 'GitRun', description: 'A push or pull of a Git repository.' });
export type GitRun = z.infer<typeof GitRun>;
