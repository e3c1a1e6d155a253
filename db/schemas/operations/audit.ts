import { z } from 'zod';
import { text, textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** One entry of the audit trail: who did what to which document (contract/lifecycle#12a). */
export const AuditEntry = z
  .looseObject({
    _id: ObjectId.describe('Id of the entry'),
    time: Timestamp.describe('When the request was answered'),
    account: z
      .string()
      .nullable()
      .describe('Name of the account that called; null when the credential belonged to none'),
    accountId: textOrNull('Id of the account that called'),
    address: textOrNull('Network address that the request came from', '192.0.2.77'),
    operation: z.string().meta({
      description: 'What was called: area and operation',
      examples: ['configurationManager.updateTree'],
    }),
    document: z
      .looseObject({
        kind: text('Kind of document', 'golden tree'),
        id: textOrNull('Id of the document'),
        name: textOrNull('Name of the document at that time'),
      })
      .nullable()
      .describe('Document that was written; null when the operation has none'),
    outcome: z
      .enum(['ok', 'refused', 'failed'])
      .describe('ok: carried out; refused: the caller was told no; failed: a fault of ours or of a device'),
    status: z.int().meta({ description: 'HTTP status of the answer', examples: [200] }),
    requestId: z.string().describe('Id of the request, as in its X-Request-Id and in the log'),
    count: z
      .int()
      .optional()
      .describe(
        'Refusals alike within a minute that this row stands for, `requestId` being the last; absent: one',
      ),
  })
  .meta({ id: 'AuditEntry', description: 'One line of the audit trail.' });
export type AuditEntry = z.infer<typeof AuditEntry>;
