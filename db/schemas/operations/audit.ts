import { z } from 'zod';
import { text, textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** By which means an account acted: what a request presented, or the job that did it. */
export const AuditCredential = z
  .looseObject({
    kind: z
      .enum(['session', 'personalToken', 'accessToken', 'password', 'job'])
      .describe(
        'session: signed in; personalToken: a program of the user; accessToken: a service account; password: sent with the request (Basic); job: a task of a job',
      ),
    id: textOrNull('Id of the session, token or job; null for a password', '65f0c1d2e3a4b5c6d7e8f901'),
    name: textOrNull('Name of the personal token at that time', 'nightly backup'),
  })
  .meta({ id: 'AuditCredential', description: 'By which means an account acted. It holds no secret.' });
export type AuditCredential = z.infer<typeof AuditCredential>;

/** One entry of the audit trail: who did what to which document (contract/lifecycle#12a). */
export const AuditEntry = z
  .looseObject({
    _id: ObjectId.describe('Id of the entry'),
    time: Timestamp.describe('Time of the response'),
    account: z.string().nullable().describe('Name of the calling account; null without a valid credential'),
    accountId: textOrNull('Id of the calling account'),
    credential: AuditCredential.nullish().describe(
      'By which means the account acted; null where none was presented, absent in entries of older versions',
    ),
    address: textOrNull('Network address of the request', '192.0.2.77'),
    operation: z.string().meta({
      description: 'Called operation: area and name',
      examples: ['configurationManager.updateTree'],
    }),
    document: z
      .looseObject({
        kind: text('Kind of document', 'golden tree'),
        id: textOrNull('Id of the document'),
        name: textOrNull('Name of the document at that time'),
      })
      .nullable()
      .describe('Changed document, the first of several; null when the operation has none'),
    documents: z
      .array(
        z.looseObject({
          kind: text('Kind of document', 'golden tree'),
          id: textOrNull('Id of the document'),
          name: textOrNull('Name of the document at that time'),
        }),
      )
      .optional()
      .describe('All changed documents, where there are several'),
    outcome: z
      .enum(['ok', 'refused', 'failed'])
      .describe(
        'ok: carried out; refused: denied or rejected; failed: an error of the service or of a device',
      ),
    status: z.int().meta({ description: 'HTTP status of the response', examples: [200] }),
    requestId: z.string().describe('Id of the request, as in its X-Request-Id and in the log'),
    count: z
      .int()
      .optional()
      .describe(
        'Number of similar rejections within a minute that this row covers, `requestId` being the last; absent: one',
      ),
  })
  .meta({ id: 'AuditEntry', description: 'One entry of the audit log.' });
export type AuditEntry = z.infer<typeof AuditEntry>;
