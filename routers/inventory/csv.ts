import { z } from 'zod';
import { importCsv } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';

const name = z.string().describe('Name of the host');
const CsvImported = z.object({
  imported: z.int().min(0).describe('Number of rows that were imported, or would be'),
  skipped: z.int().min(0).describe('Number of rows that were not imported'),
  issues: z
    .array(
      z.object({
        row: z.int().describe('Row as a spreadsheet numbers it: the first row, with the columns, is 1'),
        column: z
          .string()
          .meta({ description: 'Name of the column; empty for the whole row', examples: ['port'] }),
        message: z
          .string()
          .meta({ description: 'What is wrong', examples: ['must be a number from 1 to 65535'] }),
      }),
    )
    .describe('Everything that is wrong, by row'),
  new: z.array(name).describe('Hosts that did not exist; each list has at most 10,000'),
  changed: z
    .array(
      z.object({ name, fields: z.array(z.string()).describe('Fields that differ from what was stored') }),
    )
    .describe('Hosts that existed and differ'),
  unchanged: z.int().min(0).describe('Number of hosts that are as they were'),
});

export const csv = {
  importCsv: allow(...ADMIN)
    .meta(
      rest('POST', '/inventory/import/csv', 'Import hosts from a CSV file', {
        description:
          'The first row names the columns: name, host, port, device_type, username, password, credential, tags, groups, site; any other column becomes a custom field. Cells are separated by commas, semicolons, tabs or bars; several tags or groups of a cell likewise. A host that exists is changed: empty cells keep what is stored. The body is the file as `text/csv`, or JSON with its text as `csv`.',
        bodyLimit: 'import',
        unparsed: 'csv',
        contentTypes: ['application/json', 'text/csv'],
        inQuery: ['mode', 'dryRun'],
      }),
    )
    .input(
      z.strictObject({
        csv: z.string().meta({
          description:
            'The text of the file, at most 50,000 rows; in a body of its own UTF-8, UTF-16, the charset of its type, or else Windows-1252',
          examples: ['name,host,device_type,tags,site\nedge-1,192.0.2.11,cisco_ios,core,berlin\n'],
        }),
        mode: z
          .enum(['strict', 'lenient'])
          .optional()
          .describe(
            'strict: a file with an issue changes nothing; lenient: only rows with issues are left out',
          ),
        dryRun: z
          .boolean()
          .optional()
          .describe('True: nothing is stored; the response says what would be done'),
      }),
    )
    .output(answer(CsvImported))
    .mutation(write(({ ctx, input: { csv: text, ...options } }) => importCsv(ctx, text, options))),
};
