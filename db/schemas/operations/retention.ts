import { z } from 'zod';

/** Most documents of one kind that a policy can name. */
const MOST = 1_000_000_000;
const shape = {
  days: z.int().min(1).max(3650).optional().describe('Days after which a document is archived and deleted'),
  count: z
    .int()
    .min(1)
    .max(MOST)
    .optional()
    .describe('Number of newest documents that are kept; older ones are archived and deleted'),
};
const hasLimit = ({ days, count }: { days?: number | undefined; count?: number | undefined }) =>
  days !== undefined || count !== undefined;
const NO_LIMIT = 'Set `days`, `count` or both; a kind without settings is kept for ever';
const Limits = z.strictObject(shape).refine(hasLimit, NO_LIMIT);

/** How long documents of each kind are kept; a kind that is absent is kept for ever (contract/additions#8). */
export const RetentionSettings = z
  .strictObject({
    jobs: z
      .strictObject({
        ...shape,
        states: z
          .array(z.enum(['complete', 'error', 'canceled']))
          .min(1)
          .max(3)
          .optional()
          .describe('States of jobs that are deleted, with their child jobs; absent: all three'),
      })
      .refine(hasLimit, NO_LIMIT)
      .optional()
      .describe('Jobs that have ended'),
    reports: Limits.optional().describe('Compliance reports; the newest one of each device and node stays'),
    backups: Limits.optional().describe('Backups of configurations; the newest one of each device stays'),
    audit: Limits.optional().describe('The audit trail'),
    events: Limits.optional().describe('Events that readers can still ask for'),
    history: Limits.optional().describe('The history of commands on devices'),
  })
  .meta({
    description: 'How long documents of each kind are kept.',
    examples: [
      { jobs: { days: 90, states: ['complete', 'canceled'] }, audit: { days: 365, count: 1_000_000 } },
    ],
  });
export type RetentionSettings = z.infer<typeof RetentionSettings>;

export const RETENTION_KINDS = ['jobs', 'reports', 'backups', 'audit', 'events', 'history'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

const Counts = z.partialRecord(z.enum(RETENTION_KINDS), z.int().min(0)).describe('Documents by kind');

/** Documents that a run would delete. */
export const RetentionPreview = z
  .strictObject({ counts: Counts })
  .meta({ description: 'What a run would delete.', examples: [{ counts: { jobs: 1200 } }] });
export type RetentionPreview = z.infer<typeof RetentionPreview>;

/** One run: it archives and deletes in short steps, and continues after the loss of its process. */
export const RetentionRun = z
  .strictObject({
    _id: z.string().describe('Id of the run'),
    status: z.enum(['running', 'complete', 'error']).describe('State of the run'),
    account: z.string().describe('Account that the run works for'),
    trigger: z.enum(['manual', 'schedule']).describe('What started it'),
    started: z.string().describe('When it started'),
    finished: z.string().nullable().describe('When it ended; null while it runs'),
    settings: RetentionSettings.describe('As they were at its start'),
    limits: z
      .partialRecord(z.enum(RETENTION_KINDS), z.string())
      .optional()
      .describe('For each kind the time before which documents are deleted, determined at the start'),
    position: z
      .string()
      .nullable()
      .optional()
      .describe('Time of the newest document that the last step deleted: the next step continues there'),
    deleted: Counts,
    steps: z.int().min(0).describe('Steps so far; each has a file in the archive'),
    failures: z.int().min(0).describe('Steps in a row that failed'),
    error: z.string().nullable().describe('Why it failed'),
  })
  .meta({ description: 'One run.' });
export type RetentionRun = z.infer<typeof RetentionRun>;
