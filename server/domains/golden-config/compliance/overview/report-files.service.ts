import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import type { Report } from '#db/schemas/golden-config/compliance-report.ts';
import type { ReportFileRequest, RuleFileRequest, TreePart } from '#db/schemas/golden-config/report-files.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { csvOf } from '#server/kernel/text/csv.ts';
import { newestOfDevices } from '../reports/report-filter.service.ts';
import { getReport } from '../reports/reports.service.ts';
import { assertPart } from '../reports/summaries.service.ts';
import { withMasks } from './masked-lines.ts';
import type { ReportDocument } from './report-pdf.service.ts';
import {
  type CountedRule,
  countedRules,
  failingDevices,
  listRules,
  violated,
} from './rule-overview.service.ts';

/** Maximum number of devices in a file. */
const MOST = 100_000;
/** Maximum number of lines in a CSV file of rules and devices, and of lines that are read at once. */
const MOST_LINES = 1_000_000;
const LINES_AT_ONCE = 20_000;
/** Maximum number of rules, of devices and of issues in a PDF document. */
const MOST_RULES_SHOWN = 50;
const MOST_DEVICES_SHOWN = 2000;
const MOST_ISSUES_SHOWN = 2000;

/** The newest report of a device. */
type DeviceResult = Record<'device' | 'version' | 'nodePath' | 'timestamp', string> &
  Record<'errors' | 'warnings' | 'infos' | 'passes', number>;

const HEAD = ['device', 'version', 'nodePath', 'timestamp', 'errors', 'warnings', 'infos', 'passes'] as const;
const RULE_HEAD = ['rule', 'parents', 'severity', 'nodePath', 'section', 'device'] as const;

/** Returns the newest report of each device of a part of a tree, by name. @throws ServiceError NOT_FOUND */
async function deviceResults(ctx: ReadContext, part: ReportFileRequest): Promise<DeviceResult[]> {
  await assertPart(ctx, part);
  return rows<DeviceResult>(
    ctx.db,
    sql`select device, version, node_path as "nodePath",
          ${isoOf(sql`ts`)} as timestamp, errors, warnings, infos, passes
        from ${newestOfDevices(part)} as newest order by device limit ${MOST}`,
    false,
  );
}

/**
 * Returns the newest report of each device of a part of a tree as CSV, by name.
 *
 * @throws ServiceError NOT_FOUND for tree, version or node
 */
export async function reportsAsCsv(ctx: ReadContext, part: ReportFileRequest): Promise<string> {
  const found = await deviceResults(ctx, part);
  return csvOf(
    HEAD,
    found.map((one) => HEAD.map((name) => one[name])),
  );
}

/**
 * Returns the rules of a tree with the devices that violate them as CSV: a line for each rule and device that the caller may
 * read, the most violated rules first.
 *
 * @returns parts of the text, of some thousand lines each; they are read from the database as they are consumed
 * @throws ServiceError NOT_FOUND for tree or version, UNPROCESSABLE_CONTENT beyond 1,000,000 lines
 */
export async function rulesAsCsv(ctx: ReadContext, request: RuleFileRequest): Promise<AsyncIterable<string>> {
  const { rules } = await countedRules(ctx, request);
  const lines = rules.reduce((sum, { devices }) => sum + devices.fail, 0);
  if (lines > MOST_LINES) {
    throw unprocessable(
      `The file would have ${lines} lines; at most ${MOST_LINES} are allowed: narrow it down with version or text`,
    );
  }
  return ruleLines(
    ctx,
    request,
    rules.filter(({ devices }) => devices.fail > 0),
  );
}

async function* ruleLines(
  ctx: ReadContext,
  request: RuleFileRequest,
  rules: readonly CountedRule[],
): AsyncGenerator<string> {
  yield csvOf(RULE_HEAD, []);
  for (let at = 0; at < rules.length; ) {
    const part: CountedRule[] = [];
    for (let lines = 0; at < rules.length && (part.length === 0 || lines < LINES_AT_ONCE); at += 1) {
      const rule = rules[at] as CountedRule;
      part.push(rule);
      lines += rule.devices.fail;
    }
    const failing = await failingDevices(ctx, request, violated(part), MOST);
    const cells = (await withMasks(ctx, part)).flatMap(
      ({ key, rule, parents, severity, nodePath, section }) =>
        (failing.get(key) ?? []).map((device) => [
          rule,
          parents.join(' > '),
          severity,
          nodePath,
          section,
          device,
        ]),
    );
    if (cells.length > 0) yield csvOf(null, cells);
  }
}

/**
 * Returns the newest reports of a part of a tree as a PDF document: totals, the most violated rules, the devices with issues.
 *
 * @returns the document in base64
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function reportsAsPdf(ctx: ReadContext<'now'>, part: TreePart): Promise<string> {
  const results = await deviceResults(ctx, part);
  const { rules: found } = await listRules(ctx, { ...part, limit: MOST_RULES_SHOWN });
  const rules = await withMasks(ctx, found);
  const failing = results.filter(({ errors, warnings, infos }) => errors + warnings + infos > 0);
  const shown = await masked(ctx, failing.slice(0, MOST_DEVICES_SHOWN));
  return pdfOf({
    ...(await headOf(ctx, part)),
    summary: [`${results.length} devices were checked; ${results.length - failing.length} have no issues.`],
    sections: [
      {
        heading: 'Most violated rules',
        lines: rules.filter(({ devices }) => devices.fail > 0).map((one) => [shareOf(one), shownRule(one)]),
        empty: 'No rule is violated.',
        more: 0,
      },
      {
        heading: 'Devices with issues: errors, warnings, infos',
        lines: shown.map(({ errors, warnings, infos, device, nodePath }) => [
          `${errors} / ${warnings} / ${infos}`,
          `${device}  (${nodePath})`,
        ]),
        empty: 'No device has issues.',
        more: Math.max(0, failing.length - MOST_DEVICES_SHOWN),
      },
    ],
  });
}

/**
 * Returns the most violated rules of a tree, each with the devices that violate it and that the caller may read, as a PDF
 * document.
 *
 * @returns the document in base64
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function rulesAsPdf(ctx: ReadContext<'now'>, request: RuleFileRequest): Promise<string> {
  const { rules, total, devices } = await listRules(ctx, { ...request, limit: MOST_RULES_SHOWN });
  const found = await withMasks(
    ctx,
    rules.filter((one) => one.devices.fail > 0),
  );
  const sections: ReportDocument['sections'][number][] = [];
  let left = MOST_DEVICES_SHOWN;
  for (const one of found) {
    const shown = one.failing.slice(0, left).map((device) => ({ device }));
    left -= shown.length;
    sections.push({
      heading: `${shareOf(one)}: ${shownRule(one)}`,
      lines: (await masked(ctx, shown)).map(({ device }) => ['', device] as const),
      empty: 'You may read none of these devices, or the document has no room for them.',
      more: one.failing.length - shown.length,
    });
  }
  const about = request.text === undefined ? '' : ` with "${request.text}"`;
  return pdfOf({
    ...(await headOf(ctx, request)),
    summary: [
      `${devices} devices were checked. The tree has ${total} rules${about}; the ${found.length} most violated ones are listed.`,
    ],
    sections,
  });
}

/**
 * Returns one report as a PDF document.
 *
 * @returns the document in base64
 * @throws ServiceError NOT_FOUND
 */
export async function reportAsPdf(ctx: ReadContext<'now'>, reportId: string): Promise<string> {
  const report: Report = (await getReport(ctx, reportId)).parse();
  const { totals, issues, timestamp } = report;
  const shown = await withMasks(ctx, issues.slice(0, MOST_ISSUES_SHOWN));
  const { deviceName, nodePath, version, error, parseWarnings } = await masked(ctx, {
    deviceName: report.deviceName,
    nodePath: report.nodePath,
    version: report.version,
    error: report.error,
    parseWarnings: report.parseWarnings.slice(0, MOST_ISSUES_SHOWN),
  });
  return pdfOf({
    title: `Compliance: ${deviceName}`,
    subtitle: `${nodePath}, version ${version}, ${timestamp}`,
    summary: [
      ...(error === undefined ? [] : [`Not checked: ${error}`]),
      `${totals.errors} errors, ${totals.warnings} warnings, ${totals.infos} infos; ${totals.passes} of ${report.evaluated} rules are met.`,
    ],
    sections: [
      {
        heading: 'Issues',
        lines: shown.map(({ severity, parents, message }) => [severity, [...parents, message].join(' > ')]),
        empty: 'The configuration meets every rule.',
        more: Math.max(0, issues.length - MOST_ISSUES_SHOWN),
      },
      {
        heading: 'Lines that the parser could not parse',
        lines: parseWarnings.map(({ line, reason }) => [`line ${line ?? '?'}`, String(reason)]),
        empty: 'None.',
        more: Math.max(0, report.parseWarnings.length - MOST_ISSUES_SHOWN),
      },
    ],
  });
}

async function headOf(
  ctx: ReadContext<'now'>,
  { treeId, version }: RuleFileRequest,
): Promise<Pick<ReportDocument, 'title' | 'subtitle'>> {
  const { doc } = await findDocument(ctx, 'tree', treeId);
  const { name } = await masked(ctx, { name: doc.name });
  return {
    title: `Compliance: ${name}`,
    subtitle: `${version === undefined ? 'All versions' : `Version ${version}`}, ${ctx.platform.now().toISOString()}`,
  };
}

const shareOf = ({ devices: { fail, pass } }: Pick<CountedRule, 'devices'>) => `${fail} of ${fail + pass}`;

const shownRule = ({ severity, parents, rule }: Pick<CountedRule, 'severity' | 'parents' | 'rule'>) =>
  `${severity}: ${[...parents, rule].join(' > ')}`;

/**
 * Returns a value with masks for a reader without the permission, as every answer has them. The bytes of a PDF document
 * cannot be masked, and the texts in it hold several lines each: a secret in one would hide the lines after it.
 */
const masked = async <Value>({ principal }: ReadContext, value: Value): Promise<Value> =>
  seesConfigurationSecrets(principal)
    ? value
    : ((await maskedAnswer(value, withoutConfigurationSecrets)) as Value);

/** Returns a document, whose texts have masks already, as base64. */
const pdfOf = async (document: ReportDocument): Promise<string> =>
  (await calculateForRequest('report as PDF', document, (reason) =>
    unprocessable(`The document could not be made: it ${reason}`),
  )) as string;
