import { z } from 'zod';
import { AuditEntry } from '#db/schemas/operations/audit.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { listEntries } from '#server/kernel/audit/audit.service.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';

const ListEntriesRequest = z.strictObject({
  queryOptions: listQuery({}).prefault({}).describe('Filters, page and order; absent: newest first'),
});

const Entries = z.object({
  results: z
    .array(AuditEntry)
    .describe('Entries of this page, newest first unless another order was requested'),
  total: z.int().min(0).describe('Number of matches in total'),
});

export const audit = router({
  listEntries: allow(...ADMIN)
    .meta(rest('GET', '/audit', 'The audit log: who did what, when, from where, and with which outcome'))
    .input(ListEntriesRequest)
    .output(answer(Entries))
    .query(({ ctx, input }) => listEntries(ctx, input.queryOptions)),
});
