import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig } from './config-line.ts';
import { isPath } from './paths.ts';
import { visits } from './visits.ts';

/** Deepest level shown by indentation where braces or keywords show nesting too; deeper lines share its column. */
const DEEPEST_SHOWN = 64;

/**
 * Prints a configuration as its device would show it: each level is indented by the dialect's step, comments and extra
 * blanks are gone, and sections end with their closing lines. Parsing the result returns the same tree.
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

/** Returns a line's indentation in columns; levels may share a column only where braces or keywords show nesting. */
function columns(depth: number, { structure, step }: Dialect, { braces }: ParsedConfig): number {
  return (structure === 'indent' && !braces ? depth : Math.min(depth, DEEPEST_SHOWN)) * step;
}

function opening(line: ConfigLine, dialect: Dialect, { braces }: ParsedConfig): string {
  if (dialect.name === 'json')
    return opensSection(line) ? `${line.text} ${bracketOf(line)}`.trimStart() : `${line.text},`;
  if (!braces) return withComma(line, dialect);
  if (opensSection(line)) return line.text === '' ? '{' : `${line.text} {`;
  return dialect.terminator && !isPath(line) ? `${line.text}${dialect.terminator}` : line.text;
}

/** Returns the text of a line; with a comma where it is a value of a list and not the last. */
function withComma(line: ConfigLine, dialect: Dialect): string {
  const list = line.parent;
  const isListed = list !== null && listsValues(list.text, dialect) && list.children.at(-1) !== line;
  return isListed ? `${line.text},` : line.text;
}

/** Returns whether a line opens a section that lists values, each but the last with a comma behind it. */
export const listsValues = (text: string, { commaLists }: Dialect): boolean =>
  commaLists?.includes(firstWord(text)) === true;

/** Returns the line that closes a section; undefined when there is none. */
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
