import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { isPath } from '#server/domains/golden-config/parsing/paths.ts';
import type { Dialect } from '#server/platforms/record/grammar.ts';

/** Returns a line as in the source, without trailing blanks; all its source lines when it spans several. */
export function rawOf(line: ConfigLine, dialect: Dialect, parsed: ParsedConfig): string {
  if (line.raw !== undefined) return line.raw;
  const text = `${' '.repeat(line.indent)}${line.text}`;
  if (!parsed.braces) return text;
  if (line.children.length > 0 || line.end !== undefined) return `${text} {`;
  return isPath(line) ? text : `${text}${dialect.terminator ?? ''}`;
}
