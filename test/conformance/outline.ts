import type { ConfigLine, ParsedConfig } from '#server/engines/dialects/config-line.ts';
import { type Dialect, dialectOf } from '#server/engines/dialects/dialect.ts';
import { parseConfig } from '#server/engines/dialects/parse.ts';
import { rawOf } from '#server/engines/dialects/raw.ts';
import { toSet } from '#server/engines/dialects/to-set.ts';
import { visits } from '#server/engines/dialects/visits.ts';

/** A line as netutils tells it: as it stands in the source, below the lines that it belongs to. */
export type Outlined = { line: string; parents: readonly string[] };

/** Where netutils reads a system otherwise than we do, without either being wrong. */
type Habit = {
  /** Marks of comments that it leaves out; the others are lines to it. */
  comments?: readonly string[];
  /** Members of the dialect that differ in its view. */
  dialect?: Partial<Dialect>;
  /** What it makes of the text before it reads it. */
  prepare?: (text: string) => string;
  /** What lines at the top begin with that it leaves out, with all below them. */
  without?: string;
  /** Closing braces are lines of the section that they close, not beside it. */
  closesInside?: boolean;
};

const HABITS: Record<string, Habit> = {
  nokia_sros: { comments: ['#'], prepare: withTitles },
  rad_etx: { comments: ['#'], prepare: withoutFrame, dialect: { closers: [] } },
  juniper_junos: { comments: [] },
  bigip_f5: { comments: [], closesInside: true, without: 'ltm rule ' },
  paloalto_panos: { comments: [], closesInside: true },
  citrix_netscaler: { comments: [] },
  fortinet_fortios: { comments: [] },
  mikrotik_routeros: { dialect: { structure: 'indent', continued: false } },
};

/** SR OS: the title of a frame is the line that all below it belongs to. */
function withTitles(text: string): string {
  return text.replace(/^echo "(.+)"[ \t]*$/gm, '$1');
}

/** RAD: what stands below `configure` stands at the top. */
function withoutFrame(text: string): string {
  return text.replace(/^ *configure[ \t]*\n/gm, '').replace(/^ {8}/gm, '');
}

/** The configuration as netutils' parser lists it. */
export function outline(text: string, os: string): Outlined[] {
  const habit = HABITS[os] ?? {};
  const dialect = dialectFor(os, habit);
  const parsed = parseConfig(habit.prepare?.(text) ?? text, dialect);
  if (os === 'paloalto_panos') return toSet(parsed).flatMap(splitText);
  if (os === 'nvidia_onyx') return parsed.lines.flatMap(({ text }) => splitText(text));
  const out: Outlined[] = [];
  const parents: string[] = [];
  const told = parsed.lines.filter(({ text }) => !habit.without || !text.startsWith(habit.without));
  for (const { line, leaving } of visits(told)) {
    if (line.block) {
      if (!leaving) out.push(...blockLines(line, dialect, parents));
      continue;
    }
    if (!leaving) {
      // netutils, too, tells every banner of IOS and NX-OS by ^C.
      const banner = line.raw !== undefined && line.text.includes('^C');
      const form = banner ? `${' '.repeat(line.indent)}${line.text}` : rawOf(line, dialect, parsed);
      const raw = isMessage(line) ? `${form}\n` : form;
      out.push({ line: raw, parents: [...parents] });
      parents.push(raw);
      continue;
    }
    closing(line, habit, parents, parsed, out);
    parents.pop();
  }
  return out;
}

/** The text of a FortiOS message: netutils keeps the line's end with it. */
const isMessage = ({ text, parent }: ConfigLine) =>
  text.startsWith('set buffer "') && (parent?.text.startsWith('config system replacemsg') ?? false);

function dialectFor(os: string, { comments, dialect }: Habit): Dialect {
  const ours = dialectOf(os);
  if (!ours) throw new Error(`no dialect for ${os}`);
  return {
    ...ours,
    ...(comments && { comments, volatile: [] }),
    ...dialect,
  };
}

/** The line that closes a section is a line to netutils. */
function closing(
  line: ConfigLine,
  { closesInside }: Habit,
  parents: string[],
  parsed: ParsedConfig,
  out: Outlined[],
): void {
  if (line.end === undefined) return;
  const word = line.end.trim();
  if (word === 'end' || word === 'next') return;
  const inside = parsed.braces ? closesInside : line.end.length - word.length > line.indent;
  out.push({ line: line.end, parents: inside ? [...parents] : parents.slice(0, -1) });
}

/** A banner is one line; the lines of a certificate are lines of their own. */
function blockLines(
  { text, parent }: ConfigLine,
  { comments, name }: Dialect,
  parents: string[],
): Outlined[] {
  // netutils drops blank lines and comments before it reads, those of a banner too.
  const lines = nonBlank(text).filter(
    (line) => name === 'aruba-aoscx' || !comments.some((mark) => line.trimStart().startsWith(mark)),
  );
  if (!parent || !/^(certificate|key-string)/.test(parent.text))
    return [{ line: lines.join('\n'), parents: [...parents] }];
  return lines.map((line, at) => {
    if (!/^\s*(quit|exit)$/.test(line)) return { line, parents: [...parents] };
    const hex = lines[at - 1] ?? '';
    return { line, parents: leading(line) > leading(hex) ? [...parents, hex] : parents.slice(0, -1) };
  });
}

const leading = (line: string) => line.length - line.trimStart().length;

const nonBlank = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** PAN-OS: a value of several lines is a line below the one that it begins on. */
function splitText(text: string): Outlined[] {
  const at = text.indexOf('\n');
  if (at === -1) return [{ line: text, parents: [] }];
  const first = text.slice(0, at);
  return [
    { line: first, parents: [] },
    { line: text.slice(at + 1), parents: [first] },
  ];
}
