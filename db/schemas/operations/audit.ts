import { z } from 'zod';
import { text, textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** One entry of the audit trail: who did what to which document (contract/lifecycle#12a). */
export const AuditEntry = z
  .looseObject({
    _id: ObjectId.describe('Id of the entry'),
    time: Timestamp.describe('Time of the response'),
    account: z.string().nullable().describe('Name of the calling account; null without a valid credential'),
    accountId: textOrNull('Id of the calling account'),
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
      .describe('Changed document; null when the operation has none'),
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
