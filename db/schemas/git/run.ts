import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';
import { GIT_KINDS } from './remote.ts';

const GitDocument = z.strictObject({
  kind: z.enum(GIT_KINDS).describe('Kind of the document'),
  name: z.string().describe('Name of the document'),
  path: z.string().describe('Its file; of a device backup, the configuration'),
});
export type GitDocument = z.infer<typeof GitDocument>;

const Conflict = GitDocument.extend({ reason: z.string().describe('Why neither side replaces the other') });

/** Changes that a run made, or would make. */
export const GitResult = z.strictObject({
  commits: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the commit; empty in a dry run'),
        author: z.string().describe('Account that last changed the document'),
        message: z.string().describe('First line of its message'),
      }),
    )
    .describe('Commits of a push, at most 1000'),
  documents: z
    .strictObject({
      new: z.array(GitDocument).describe('Documents that the other side did not have'),
      changed: z.array(GitDocument).describe('Documents that replaced an older form'),
      removed: z
        .array(GitDocument)
        .describe('Push: deleted in the repository. Pull: missing there, and kept here'),
      conflicts: z.array(Conflict).describe('Documents that both sides changed; nothing was written'),
    })
    .describe('Documents by their change, at most 1000 of each'),
  issues: z
    .array(
      z.strictObject({
        path: z.string().describe('The file'),
        message: z.string().describe('The problem'),
      }),
    )
    .describe('Files that could not be read or stored, at most 1000'),
  unchanged: z.int().min(0).describe('Number of documents that are the same on both sides'),
});
export type GitResult = z.infer<typeof GitResult>;

/** A push or pull. */
export const GitRun = GitResult.extend({
  runId: ObjectId,
  remote: ObjectId.describe('Id of the remote'),
  action: z.enum(['push', 'pull']).describe('Direction of the run'),
  branch: z.string().describe('Branch that is pushed to or pulled from'),
  dryRun: z.boolean().describe('True: nothing was written'),
  status: z.enum(['running', 'complete', 'error']).describe('State of the run'),
  error: z.string().nullable().describe('Why the run failed'),
  startedBy: z.string().describe('Id of the account that started it'),
  started: Timestamp,
  ended: Timestamp.nullable(),
}).meta({ id: 'GitRun', description: 'A push or pull of a Git repository.' });
export type GitRun = z.infer<typeof GitRun>;

const side = (where: string) =>
  z.string().nullable().describe(`Its text ${where}; null: it does not exist there`);

/** A file of a document as both sides have it. */
const GitConflictFile = z.strictObject({
  path: z.string().describe('The file, below the folder of the remote'),
  here: side('on this platform'),
  there: side('in the repository'),
  isShortened: z
    .boolean()
    .describe('True: a side has more than 1,000,000 characters, and only those are shown'),
});
export type GitConflictFile = z.infer<typeof GitConflictFile>;

/** A document that both sides changed, with both of its texts. */
export const GitConflict = Conflict.extend({
  branch: z.string().describe('Branch of the repository that was read'),
  files: z.array(GitConflictFile).describe('Its files, as both sides have them now'),
}).meta({ id: 'GitConflict', description: 'A document that both sides of a Git remote changed.' });
export type GitConflict = z.infer<typeof GitConflict>;
