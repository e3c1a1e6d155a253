import { z } from 'zod';

const days = z.int().min(1).max(3650).describe('Days after which a document is archived and deleted');
const Age = z.strictObject({ days });

/** How long documents of each kind are kept; a kind that is absent is kept for ever (contract/additions#8). */
export const RetentionSettings = z
  .strictObject({
    jobs: z
      .strictObject({
        days,
        states: z
          .array(z.enum(['complete', 'error', 'canceled']))
          .min(1)
          .max(3)
          .optional()
          .describe('States of jobs that are deleted, with their child jobs; absent: all three'),
      })
      .optional()
      .describe('Jobs that have ended'),
    reports: Age.optional().describe('Compliance reports; the newest one of each device and node stays'),
    backups: Age.optional().describe('Backups of configurations; the newest one of each device stays'),
    audit: Age.optional().describe('The audit trail'),
    events: Age.optional().describe('Events that readers can still ask for'),
    history: Age.optional().describe('The history of commands on devices'),
  })
  .meta({
    description: 'How long documents of each kind are kept.',
    examples: [{ jobs: { days: 90, states: ['complete', 'canceled'] }, audit: { days: 365 } }],
  });
export type RetentionSettings = z.infer<typeof RetentionSettings>;

export const RETENTION_KINDS = ['jobs', 'reports', 'backups', 'audit', 'events', 'history'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

const Counts = z.partialRecord(z.enum(RETENTION_KINDS), z.int().min(0)).describe('Documents by kind');

/** What a run would delete. */
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
    deleted: Counts,
    steps: z.int().min(0).describe('Steps so far; each has a file in the archive'),
    failures: z.int().min(0).describe('Steps in a row that failed'),
    error: z.string().nullable().describe('Why it failed'),
  })
  .meta({ description: 'One run.' });
export type RetentionRun = z.infer<typeof RetentionRun>;
