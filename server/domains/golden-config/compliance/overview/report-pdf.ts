import PDFDocument from 'pdfkit';

/** A heading with lines of two columns. */
type Section = {
  heading: string;
  lines: readonly (readonly [string, string])[];
  /** Text that replaces the lines when there are none. */
  empty: string;
  /** Number of lines that are left out. */
  more: number;
};

/** What the document contains. */
export type ReportDocument = {
  title: string;
  subtitle: string;
  summary: readonly string[];
  sections: readonly Section[];
};

const MARGIN = 50;
const FIRST_COLUMN = 90;
/** Longest text of a cell, in characters. */
const LONGEST = 300;

/** What the standard fonts lack. */
const LACKING = /[^\x20-\x7e\xa0-\xff]/gu;
const NOTE =
  'This document shows characters outside Latin-1 as code points; the CSV file of the report has them.';

type Doc = InstanceType<typeof PDFDocument>;

/**
 * Returns a report as a PDF document. Its fonts are those that every reader has; they lack characters that are not in
 * Latin-1, which are shown as code points, such as `[U+4E2D]`. The document then says so.
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

function write(doc: Doc, { title, subtitle, summary, sections }: ReportDocument): void {
  doc.font('Helvetica-Bold').fontSize(18).text(printable(title));
  doc.font('Helvetica').fontSize(10).fillColor('#555').text(printable(subtitle)).fillColor('#000').moveDown();
  doc.fontSize(11);
  for (const text of summary) doc.text(printable(text));
  for (const { heading, lines, empty, more } of sections) {
    doc.moveDown();
    writeHeading(doc, heading);
    for (const [first, second] of lines) writeLine(doc, first, second);
    if (lines.length === 0) doc.text(empty);
    if (more > 0) doc.text(`and ${more} more`);
  }
  const texts = [
    title,
    subtitle,
    ...summary,
    ...sections.flatMap(({ heading, lines }) => [heading, ...lines.flat()]),
  ];
  if (texts.some(isLacking)) doc.moveDown().fontSize(9).fillColor('#555').text(NOTE);
}

function writeHeading(doc: Doc, text: string): void {
  doc.font('Helvetica-Bold').fontSize(13).text(printable(text), MARGIN);
  doc.font('Helvetica').fontSize(10).moveDown(0.5);
}

/** Writes a line of two columns; a line that does not fit begins a new page. */
function writeLine(doc: Doc, first: string, second: string): void {
  const { height, width } = doc.page;
  const columns = [
    { text: printable(first), x: MARGIN, width: FIRST_COLUMN },
    {
      text: printable(second),
      x: MARGIN + FIRST_COLUMN + 10,
      width: width - 2 * MARGIN - FIRST_COLUMN - 10,
    },
  ];
  const heights = columns.map((column) => doc.heightOfString(column.text, { width: column.width }));
  if (doc.y + Math.max(...heights) > height - MARGIN) doc.addPage();
  const top = doc.y;
  for (const column of columns) doc.text(column.text, column.x, top, { width: column.width });
  doc.x = MARGIN;
  doc.y = top + Math.max(...heights);
}

const isLacking = (text: string) => text.replace(/\s+/g, ' ').search(LACKING) !== -1;

const codePoint = (sign: string) =>
  `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** Returns a text that the standard fonts can show, in one line. */
function printable(text: string): string {
  const shown = text.replace(/\s+/g, ' ').replace(LACKING, codePoint);
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}...` : shown;
}
