import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { type Dialect, dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { toSet } from '#server/domains/golden-config/parsing/to-set.ts';
import { rawOf } from './raw.ts';

/** A line as netutils reports it: verbatim, below the line that it belongs to. */
export type Outlined = { line: string; above: Outlined | null };

/** The lines that a line belongs to, from the outermost. */
export function parentsOf({ above }: Outlined): string[] {
  const parents: string[] = [];
  for (let one = above; one; one = one.above) parents.push(one.line);
  return parents.reverse();
}

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
  // The time above an answer is a line to it.
  cisco_iosxr: { dialect: { volatile: ['Building configuration...', 'Current configuration :'] } },
  nokia_sros: { comments: ['#'], prepare: withTitles },
  rad_etx: { comments: ['#'], prepare: withoutFrame, dialect: { closers: [] } },
  juniper_junos: { comments: [] },
  bigip_f5: { comments: [], closesInside: true, without: 'ltm rule ' },
  paloalto_panos: { comments: [], closesInside: true },
  citrix_netscaler: { comments: [] },
  netscaler: { comments: [] },
  fortinet_fortios: { comments: [] },
  mikrotik_routeros: { dialect: { structure: 'indent', continued: false } },
  adva_fsp150f2: { comments: ['remark'] },
  adva_fsp150f3: { comments: ['#', 'Preparing configuration file...'] },
  aruba_osswitch: { comments: ['!'] },
  ciena_saos: { comments: [] },
  ciena_saos10: { comments: [] },
};

const TOLD_BY_CARET = new Set(['cisco_ios', 'cisco_nxos']);

/** SR OS: the title of a frame is the line that all below it belongs to. */
function withTitles(text: string): string {
  return text.replace(/^echo "(.+)"[ \t]*$/gm, '$1');
}

/** RAD: lines below `configure` are at the top. */
function withoutFrame(text: string): string {
  return text.replace(/^ *configure[ \t]*\n/gm, '').replace(/^ {8}/gm, '');
}

/** The configuration as netutils' parser lists it. */
export function outline(text: string, os: string): Outlined[] {
  const habit = HABITS[os] ?? {};
  const dialect = dialectFor(os, habit);
  const source = habit.prepare?.(text) ?? text;
  const parsed = parseConfig(source, dialect);
  const sourceLines = source.split('\n');
  if (os === 'paloalto_panos') return toSet(parsed, true).flatMap((path) => panosLines(path, text));
  if (os === 'nvidia_onyx') return parsed.lines.map((line) => ({ line: line.text, above: null }));
  const out: Outlined[] = [];
  type Open = { line: ConfigLine; above: Outlined | null; entered: Outlined | null };
  const open: Open[] = [];
  const enter = (lines: readonly ConfigLine[], above: Outlined | null) => {
    for (let at = lines.length - 1; at >= 0; at--) {
      const line = lines[at];
      if (line) open.push({ line, above, entered: null });
    }
  };
  const { without } = habit;
  enter(without ? parsed.lines.filter(({ text }) => !text.startsWith(without)) : parsed.lines, null);
  for (let next = open.pop(); next; next = open.pop()) {
    const { line, above, entered } = next;
    if (entered) closing(line, habit, entered, parsed, out);
    else if (line.block) out.push(...blockLines(line, dialect, above));
    else {
      // netutils, too, reports every banner of IOS and NX-OS by ^C.
      const raw = rawOf(line, sourceLines, dialect.continued === true);
      const told = `${' '.repeat(line.indent)}${line.text}`;
      const banner = line.text.includes('^C') && (raw !== told || TOLD_BY_CARET.has(os));
      const form = banner ? told.replace(/\^C+/, '^C') : raw;
      const reported = { line: isMessage(line) ? `${form}\n` : form, above };
      out.push(reported);
      if (line.end !== undefined) open.push({ line, above, entered: reported });
      if (line.children.length > 0) enter(line.children, reported);
    }
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
    // It keeps what changes by itself.
    volatile: [],
    ...(comments && { comments }),
    ...dialect,
  };
}

/** The line that closes a section is a line to netutils. */
function closing(
  line: ConfigLine,
  { closesInside }: Habit,
  section: Outlined,
  parsed: ParsedConfig,
  out: Outlined[],
): void {
  if (line.end === undefined) return;
  const word = line.end.trim();
  if (word === 'end' || word === 'next') return;
  const inside = parsed.braces ? closesInside : line.end.length - word.length > line.indent;
  out.push({ line: line.end, above: inside ? section : section.above });
}

/** A banner is one line; the lines of a certificate are lines of their own. */
function blockLines(
  { text, parent }: ConfigLine,
  { comments, name }: Dialect,
  above: Outlined | null,
): Outlined[] {
  // netutils drops blank lines and comments before it reads, those of a banner too.
  const lines = nonBlank(text).filter(
    (line) =>
      ['aruba-aoscx', 'hp-procurve'].includes(name) ||
      !comments.some((mark) => line.trimStart().startsWith(mark)),
  );
  if (!parent || !/^(certificate|key-string)/.test(parent.text)) return [{ line: lines.join('\n'), above }];
  return lines.map((line, at) => {
    if (!/^\s*(quit|exit)$/.test(line)) return { line, above };
    const hex = lines[at - 1] ?? '';
    return { line, above: leading(line) > leading(hex) ? { line: hex, above } : (above?.above ?? null) };
  });
}

const leading = (line: string) => line.length - line.trimStart().length;

const nonBlank = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** PAN-OS: the lines of a login banner are below the one that it begins on, those of other values beside it. */
function panosLines(path: string, source: string): Outlined[] {
  const at = path.indexOf('\n');
  if (at === -1) return [{ line: path, above: null }];
  const first = { line: path.slice(0, at), above: null };
  if (/^set (?:deviceconfig )?system login-banner/.test(path))
    return [first, { line: path.slice(at + 1), above: first }];
  const lines = path.split('\n');
  // Where braces become paths, a value becomes one line.
  return (/^set /.test(source.trimStart()) ? lines : [lines.join(' ')]).map((line) => ({
    line,
    above: null,
  }));
}
