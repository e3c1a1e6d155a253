import PDFDocument from 'pdfkit';
import type { RuleResult } from './rule-overview.service.ts';

/** The newest report of a device. */
export type DeviceResult = {
  device: string;
  version: string;
  nodePath: string;
  timestamp: string;
  errors: number;
  warnings: number;
  infos: number;
  passes: number;
};

/** What the document contains. */
export type ReportDocument = {
  title: string;
  subtitle: string;
  totals: { devices: number; compliant: number };
  rules: readonly Pick<RuleResult, 'rule' | 'parents' | 'severity' | 'devices'>[];
  /** The devices with issues; `more` are left out. */
  devices: readonly DeviceResult[];
  more: number;
};

const MARGIN = 50;
const LONGEST_RULE = 120;

type Doc = InstanceType<typeof PDFDocument>;

/**
 * Returns the newest reports of a tree as a PDF document.
 *
 * @returns the document in base64
 */
export function reportPdf(report: ReportDocument): Promise<string> {
  const doc = new PDFDocument({ size: 'A4', margin: MARGIN, info: { Title: report.title } });
  const parts: Buffer[] = [];
  const made = new Promise<string>((resolve, reject) => {
    doc.on('data', (part: Buffer) => parts.push(part));
    doc.on('end', () => resolve(Buffer.concat(parts).toString('base64')));
    doc.on('error', reject);
  });
  write(doc, report);
  doc.end();
  return made;
}

function write(doc: Doc, { title, subtitle, totals, rules, devices, more }: ReportDocument): void {
  doc.font('Helvetica-Bold').fontSize(18).text(title);
  doc.font('Helvetica').fontSize(10).fillColor('#555').text(subtitle).fillColor('#000').moveDown();
  doc
    .fontSize(11)
    .text(`${totals.devices} devices were checked; ${totals.compliant} have no issues.`)
    .moveDown();
  heading(doc, 'Most violated rules');
  for (const { rule, parents, severity, devices: counts } of rules) {
    const shown = [...parents, rule].join(' > ').slice(0, LONGEST_RULE);
    line(doc, `${counts.fail} of ${counts.fail + counts.pass}`, `${severity}: ${shown}`);
  }
  if (rules.length === 0) doc.text('No rule is violated.');
  doc.moveDown();
  heading(doc, 'Devices with issues');
  for (const { device, errors, warnings, infos, nodePath } of devices) {
    line(doc, `${errors} / ${warnings} / ${infos}`, `${device}  (${nodePath})`);
  }
  if (devices.length === 0) doc.text('No device has issues.');
  if (more > 0) doc.text(`and ${more} more`);
}

function heading(doc: Doc, text: string): void {
  doc.font('Helvetica-Bold').fontSize(13).text(text, MARGIN).font('Helvetica').fontSize(10).moveDown(0.5);
}

/** Writes a line of two columns; a line that does not fit begins a new page. */
function line(doc: Doc, first: string, second: string): void {
  const { height } = doc.page;
  if (doc.y > height - MARGIN - 30) doc.addPage();
  const top = doc.y;
  doc.text(first, MARGIN, top, { width: 90 });
  doc.text(second, MARGIN + 100, top, { width: doc.page.width - 2 * MARGIN - 100 });
  doc.x = MARGIN;
}
