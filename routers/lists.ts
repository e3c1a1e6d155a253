import { z } from 'zod';
import { listAsCsv, nameOfFile } from '#server/domains/studio/index.ts';
import { answer, textParts } from '#server/kernel/json-text.ts';
import { rest, router, signedIn } from '#server/kernel/procedures.ts';
import { attachment } from '#server/kernel/text/csv.ts';

const CSV = 'text/csv; charset=utf-8';

const ListFile = z.strictObject({
  list: z
    .string()
    .max(100)
    .meta({
      description: 'The list, by the name of the permission to read it, which begins with a small letter',
      examples: ['operationsManager.listJobs'],
    }),
  input: z
    .string()
    .max(16_000)
    .optional()
    .meta({
      description: 'Filters and order as JSON text, as the list itself accepts them; absent: the whole list',
      examples: ['{"queryOptions":{"equals":{"status":"error"}}}'],
    }),
  columns: z
    .string()
    .max(8000)
    .optional()
    .meta({
      description:
        'Fields of a row, separated by commas, with dots for nested fields and a head after a colon; absent: every field of one value',
      examples: ['name:Name,status,metrics.start_time:Started'],
    }),
});

export const lists = router({
  exportAsCsv: signedIn
    .meta(
      rest('GET', '/lists/:list/csv', 'A list as CSV', {
        description:
          'Every list, with its own filters, order, roles and masks; up to 1,000,000 rows, all from one moment. They are sent as they are read.',
        produces: 'text/csv',
        errorResponses: {
          404: 'The list does not exist, or a document that its input names.',
          422: 'The file would have more than 1,000,000 rows, or the list cannot use its input.',
          429: 'Four files are being written, or two of this account; `Retry-After` has the seconds to wait.',
        },
      }),
    )
    .input(ListFile)
    .output(
      answer(
        z.string().meta({
          description: 'A head and a line for each row',
          examples: ['Name,status\r\nupgrade,running\r\n'],
        }),
      ),
    )
    .query(async ({ ctx, input }) => {
      const parts = await listAsCsv(ctx, input);
      Object.assign(ctx.answer.headers, attachment(nameOfFile(input.list)));
      return textParts(ctx.request.face, parts, CSV);
    }),
});
