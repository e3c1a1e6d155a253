import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';

const require = createRequire(import.meta.url);

/** A heading with lines of two columns. */
type Section = {
  heading: string;
  lines: readonly (readonly [string, string])[];
  /** Text that replaces the lines when there are none. */
  empty: string;
  /** Number of lines that are left out. */
  more: number;
};

/** Content of the document. */
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

/** Characters that the standard fonts of PDF lack. */
const BEYOND_LATIN_1 = /[^\x20-\x7e\xa0-\xff]/gu;
/**
 * Characters that are code points even where the font has them. Some are invisible, and could make two names look alike. Those
 * of scripts written from right to left would be in the wrong order, the digits of a name reversed: no bidirectional layout.
 */
const UNSHOWN = /[\p{C}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const NOTE =
  'This document shows characters that its font lacks, and scripts written from right to left, as code points; the CSV file of the report has them.';

type Doc = InstanceType<typeof PDFDocument>;

/** Names or files of the fonts of a document. */
type Fonts = { regular: string; bold: string };

/** A document that is being written. */
type Draft = {
  doc: Doc;
  fonts: Fonts;
  /** Whether it shows any character as a code point. */
  lacks: boolean;
};

/** The font in use, of which the types of pdfkit say nothing. */
type FontInUse = { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } };

/**
 * Returns a report as a PDF document. Text in Latin-1 has the fonts that every reader has. A document with other characters
 * contains the glyphs of DejaVu Sans that it uses; what that font lacks is shown as code points, such as `[U+4E2D]`, and so
 * are scripts written from right to left. The document then says so (docs/decisions/0133).
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
  write({ doc, fonts: fontsFor(report), lacks: false }, report);
  doc.end();
  return made;
}

function fontsFor({ title, subtitle, summary, sections }: ReportDocument): Fonts {
  const texts = [
    title,
    subtitle,
    ...summary,
    ...sections.flatMap(({ heading, lines }) => [heading, ...lines.flat()]),
  ];
  if (!texts.some((text) => inOneLine(text).search(BEYOND_LATIN_1) !== -1))
    return { regular: 'Helvetica', bold: 'Helvetica-Bold' };
  return {
    regular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
    bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  };
}

function write(draft: Draft, { title, subtitle, summary, sections }: ReportDocument): void {
  const { doc, fonts } = draft;
  doc.font(fonts.bold).fontSize(18).text(printable(draft, title));
  doc.font(fonts.regular).fontSize(10).fillColor('#555').text(printable(draft, subtitle));
  doc.fillColor('#000').moveDown().fontSize(11);
  for (const text of summary) doc.text(printable(draft, text));
  for (const { heading, lines, empty, more } of sections) {
    doc.moveDown();
    writeHeading(draft, heading);
    for (const [first, second] of lines) writeLine(draft, first, second);
    if (lines.length === 0) doc.text(empty);
    if (more > 0) doc.text(`and ${more} more`);
  }
  if (draft.lacks) doc.moveDown().fontSize(9).fillColor('#555').text(NOTE);
}

function writeHeading(draft: Draft, text: string): void {
  const { doc, fonts } = draft;
  doc.font(fonts.bold).fontSize(13).text(printable(draft, text), MARGIN);
  doc.font(fonts.regular).fontSize(10).moveDown(0.5);
}

/** Writes a line of two columns; a line that does not fit begins a new page. */
function writeLine(draft: Draft, first: string, second: string): void {
  const { doc } = draft;
  const { height, width } = doc.page;
  const columns = [
    { text: printable(draft, first), x: MARGIN, width: FIRST_COLUMN },
    {
      text: printable(draft, second),
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

const inOneLine = (text: string) => text.replace(/\s+/g, ' ');

/** Returns a text that the font in use can show, in one line. */
function printable(draft: Draft, text: string): string {
  const { font } = (draft.doc as unknown as FontInUse)._font;
  const shown = inOneLine(text).replace(BEYOND_LATIN_1, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (!UNSHOWN.test(sign) && font.hasGlyphForCodePoint(code)) return sign;
    draft.lacks = true;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
  // A pair of surrogates is not cut in two.
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}...` : shown;
}
