import { z } from 'zod';
import { ObjectId, Severity } from '#db/schemas/primitives.ts';
import { listRules, reportsAsCsv, reportsAsPdf } from '#server/domains/golden-config/index.ts';
import { answer, Base64File, PlainText } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';

const PATH = '/configuration_manager/compliance_reports';

const Part = z.strictObject({
  treeId: ObjectId.describe('Golden tree against which devices were checked'),
  version: z
    .string()
    .optional()
    .meta({ description: 'Version; absent: the last one of each device', examples: ['initial'] }),
});
const count = (of: string) => z.int().min(0).describe(`Number of ${of}`);

const RuleResult = z
  .object({
    rule: z.string().meta({ description: 'The line of the rule', examples: ['ntp server 192.0.2.9'] }),
    parents: z.array(z.string()).describe('Lines above it, outermost first'),
    severity: Severity,
    specId: ObjectId.describe('Spec of the rule'),
    nodePath: z.string().nullable().describe('Node of the spec; null when it no longer exists'),
    section: z
      .string()
      .nullable()
      .describe('Config parser of the section of the rule; null: the rules for the platform of the tree'),
    devices: z.object({
      pass: count('devices that meet the rule'),
      fail: count('devices that violate it'),
    }),
    failing: z
      .array(z.string())
      .describe('Devices that violate it and that the caller may see: the first 1000, by name'),
  })
  .meta({ id: 'RuleResult', description: 'A rule, and the devices that meet it and those that do not.' });

export const ruleReports = {
  listRules: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/rules`, 'List the rules of a tree with the devices that violate them', {
        description: 'As of the newest report of each device; the most violated rules first.',
      }),
    )
    .input(
      Part.extend({
        text: z
          .string()
          .max(255)
          .optional()
          .meta({ description: 'Text in the rule or a line above it; case is ignored', examples: ['ntp'] }),
        start: z.int().min(0).optional().describe('Number of rules to skip; absent: 0'),
        limit: z.int().min(1).max(200).optional().describe('Maximum number of rules; absent: 25'),
      }),
    )
    .output(
      answer(
        z.object({
          total: count('rules'),
          devices: count('devices that were checked'),
          rules: z.array(RuleResult).describe('Rules of this page'),
        }),
      ),
    )
    .query(({ ctx, input }) => listRules(ctx, input)),

  exportReportsAsCsv: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/export/csv`, 'The newest report of each device of a tree, as CSV', {
        produces: 'text/csv',
      }),
    )
    .input(
      Part.extend({
        nodePath: z
          .string()
          .optional()
          .meta({ description: 'This node and the nodes below it; absent: all', examples: ['base'] }),
      }),
    )
    .output(
      answer(
        z.string().meta({
          description: 'A head and a line for each device',
          examples: ['device,version,nodePath,timestamp,errors,warnings,infos,passes\r\n'],
        }),
      ),
    )
    .query(async ({ ctx, input }) => new PlainText(await reportsAsCsv(ctx, input), 'text/csv')),

  exportReportsAsPdf: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/export/pdf`, 'The newest reports of a tree as a PDF document', {
        description: 'Totals, the 50 most violated rules, and the first 2000 devices with issues.',
        produces: 'application/pdf',
        refusals: { 422: 'The document takes too long to make.' },
      }),
    )
    .input(Part)
    .output(
      answer(
        z
          .string()
          .meta({ description: 'The document; a typed caller gets it in base64', examples: ['JVBERi0='] }),
      ),
    )
    .query(async ({ ctx, input }) => new Base64File(await reportsAsPdf(ctx, input), 'application/pdf')),
};
