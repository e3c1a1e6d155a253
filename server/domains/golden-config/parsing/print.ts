import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig } from './config-line.ts';
import { isPath } from './paths.ts';
import { visits } from './visits.ts';

/** Levels that are shown by indentation where braces or words tell them too: deeper ones stand at this one. */
const DEEPEST_SHOWN = 64;

/**
 * A configuration as its device would show it: a level is the dialect's step, comments and blanks are gone, what is
 * closed by a line of its own is closed. Reading it again gives the same lines below the same lines.
 */
export function printConfig(parsed: ParsedConfig, dialect: Dialect): string {
  const out: string[] = [];
  for (const { line, depth, leaving } of visits(parsed.lines)) {
    if (line.block) {
      if (!leaving) out.push(line.text);
      continue;
    }
    const text = leaving ? closing(line, dialect, parsed) : opening(line, dialect, parsed);
    if (text === undefined) continue;
    out.push(
      `${' '.repeat(columns(depth + (leaving && dialect.closersInside ? 1 : 0), dialect, parsed))}${text}`,
    );
  }
  return out.length === 0 ? '' : `${out.join('\n')}\n`;
}

/** Where a line stands. Only braces and words let many levels share a column. */
function columns(depth: number, { structure, step }: Dialect, { braces }: ParsedConfig): number {
  return (structure === 'indent' && !braces ? depth : Math.min(depth, DEEPEST_SHOWN)) * step;
}

function opening(line: ConfigLine, dialect: Dialect, { braces }: ParsedConfig): string {
  if (dialect.name === 'json')
    return opensSection(line) ? `${line.text} ${bracketOf(line)}`.trimStart() : `${line.text},`;
  if (!braces) return line.text;
  if (opensSection(line)) return line.text === '' ? '{' : `${line.text} {`;
  return dialect.terminator && !isPath(line) ? `${line.text}${dialect.terminator}` : line.text;
}

/** What closes a section; undefined where nothing does. */
function closing(line: ConfigLine, dialect: Dialect, { braces }: ParsedConfig): string | undefined {
  if (dialect.name === 'json')
    return opensSection(line) ? `${bracketOf(line) === '[' ? ']' : '}'},` : undefined;
  if (braces) return opensSection(line) ? '}' : undefined;
  if (line.end !== undefined) return line.end.trim();
  const { keywords } = dialect;
  const word = keywords && firstWord(line.text);
  if (!word || !keywords.open.includes(word)) return undefined;
  return keywords.close[keywords.open.indexOf(word)];
}

const opensSection = ({ children, end }: ConfigLine) => children.length > 0 || end !== undefined;
const bracketOf = ({ end }: ConfigLine) => (end === ']' ? '[' : '{');
const firstWord = (text: string) => text.split(' ', 1)[0] ?? '';
