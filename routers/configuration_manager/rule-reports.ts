import { z } from 'zod';
import { count } from '#db/schemas/fields.ts';
import {
  ReportFileRequest,
  RuleFileRequest,
  RulesRequest,
  TreePart,
} from '#db/schemas/golden-config/report-files.ts';
import { ObjectId, Severity } from '#db/schemas/primitives.ts';
import {
  listRules,
  reportAsPdf,
  reportsAsCsv,
  reportsAsPdf,
  rulesAsCsv,
  rulesAsPdf,
} from '#server/domains/golden-config/index.ts';
import { answer, Base64File, PlainText, textParts } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';
import { attachment } from '#server/kernel/text/csv.ts';

const PATH = '/configuration_manager/compliance_reports';

const PDF = 'application/pdf';
const TOO_LONG = 'The document takes too long to make.';
const PdfFile = z.string().meta({
  description: 'The document; a typed caller gets it in base64',
  examples: ['JVBERi0='],
  // Generated clients would read it as text, and lose bytes.
  format: 'binary',
});

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
    .input(RulesRequest)
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

  exportRulesAsCsv: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/rules/export/csv`, 'The devices that violate the rules of a tree, as CSV', {
        description:
          'A line for each rule and device that the caller may read, as they are read from the database.',
        produces: 'text/csv',
        errorResponses: { 422: 'The file would have more than 1,000,000 lines.' },
      }),
    )
    .input(RuleFileRequest)
    .output(
      answer(
        z.string().meta({
          description: 'A head, and a line for each rule and device',
          examples: ['rule,parents,severity,nodePath,section,device\r\n'],
        }),
      ),
    )
    .query(async ({ ctx, input }) => {
      const parts = await rulesAsCsv(ctx, input);
      Object.assign(ctx.answer.headers, attachment('rules.csv'));
      return textParts(ctx.request.face, parts, 'text/csv');
    }),

  exportRulesAsPdf: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        `${PATH}/rules/export/pdf`,
        'The devices that violate the rules of a tree, as a PDF document',
        {
          description: 'The 50 most violated rules and at most 2000 names of devices.',
          produces: PDF,
          errorResponses: { 422: TOO_LONG },
        },
      ),
    )
    .input(RuleFileRequest)
    .output(answer(PdfFile))
    .query(async ({ ctx, input }) => new Base64File(await rulesAsPdf(ctx, input), PDF)),

  exportReportAsPdf: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/details/:reportId/pdf`, 'One compliance report as a PDF document', {
        description: 'Totals, and the first 2000 issues.',
        produces: PDF,
        errorResponses: { 422: TOO_LONG },
      }),
    )
    .input(z.strictObject({ reportId: z.string().describe('Id of the report') }))
    .output(answer(PdfFile))
    .query(async ({ ctx, input }) => new Base64File(await reportAsPdf(ctx, input.reportId), PDF)),

  exportReportsAsCsv: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/export/csv`, 'The newest report of each device of a tree, as CSV', {
        produces: 'text/csv',
      }),
    )
    .input(ReportFileRequest)
    .output(
      answer(
        z.string().meta({
          description: 'A head and a line for each device',
          examples: ['device,version,nodePath,timestamp,errors,warnings,infos,passes\r\n'],
        }),
      ),
    )
    .query(async ({ ctx, input }) => {
      const file = new PlainText(await reportsAsCsv(ctx, input), 'text/csv');
      Object.assign(ctx.answer.headers, attachment('reports.csv'));
      return file;
    }),

  exportReportsAsPdf: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/export/pdf`, 'The newest reports of a tree as a PDF document', {
        description: 'Totals, the 50 most violated rules, and the first 2000 devices with issues.',
        produces: PDF,
        errorResponses: { 422: TOO_LONG },
      }),
    )
    .input(TreePart)
    .output(answer(PdfFile))
    .query(async ({ ctx, input }) => new Base64File(await reportsAsPdf(ctx, input), PDF)),
};
