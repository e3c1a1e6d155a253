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
  /** Closing braces are lines of the section that they close, not beside it. */
  closesInside?: boolean;
};

const HABITS: Record<string, Habit> = {
  nokia_sros: { comments: ['#'], prepare: withTitles },
  rad_etx: { comments: ['#'], prepare: withoutFrame, dialect: { closers: [] } },
  juniper_junos: { comments: [] },
  bigip_f5: { comments: [], closesInside: true, prepare: withoutRules },
  paloalto_panos: { comments: [], closesInside: true },
  citrix_netscaler: { comments: [] },
  fortinet_fortios: { comments: [] },
  mikrotik_routeros: { dialect: { structure: 'flat' } },
};

/** SR OS: the title of a frame is the line that all below it belongs to. */
function withTitles(text: string): string {
  return text.replace(/^echo "(.+)"[ \t]*$/gm, '$1');
}

/** RAD: what stands below `configure` stands at the top. */
function withoutFrame(text: string): string {
  return text.replace(/^ *configure[ \t]*\n/gm, '').replace(/^ {8}/gm, '');
}

/** F5: scripts are left out. */
function withoutRules(text: string): string {
  return text.replace(/^ltm rule [^\n]*\{\n[\s\S]*?^\}\n/gm, '');
}

/** The configuration as netutils' parser lists it. */
export function outline(text: string, os: string): Outlined[] {
  const habit = HABITS[os] ?? {};
  const dialect = dialectFor(os, habit);
  const parsed = parseConfig(habit.prepare?.(text) ?? text, dialect);
  if (os === 'paloalto_panos') return toSet(parsed).flatMap(splitText);
  const out: Outlined[] = [];
  const parents: string[] = [];
  for (const { line, leaving } of visits(parsed.lines)) {
    if (line.block) {
      if (!leaving) out.push({ line: blockText(line, dialect), parents: [...parents] });
      continue;
    }
    if (!leaving) {
      // netutils, too, tells every banner of IOS and NX-OS by ^C.
      const banner = line.raw !== undefined && line.text.includes('^C');
      const raw = banner ? `${' '.repeat(line.indent)}${line.text}` : rawOf(line, dialect, parsed);
      out.push({ line: raw, parents: [...parents] });
      parents.push(raw);
      continue;
    }
    closing(line, habit, parents, parsed, out);
    parents.pop();
  }
  return out;
}

function dialectFor(os: string, { comments, dialect }: Habit): Dialect {
  const ours = dialectOf(os);
  if (!ours) throw new Error(`no dialect for ${os}`);
  return {
    ...ours,
    blocks: ours.blocks.filter(({ ends }) => ends !== 'hex'),
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

/** A block without blank lines and comments: netutils drops them before it reads. */
function blockText({ text }: ConfigLine, { comments, name }: Dialect): string {
  if (name === 'aruba-aoscx') return nonBlank(text).join('\n');
  return nonBlank(text)
    .filter((line) => !comments.some((mark) => line.trimStart().startsWith(mark)))
    .join('\n');
}

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
