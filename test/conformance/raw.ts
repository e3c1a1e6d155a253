import type { ConfigLine } from '#server/domains/golden-config/parsing/config-line.ts';

/**
 * Returns a line as in its source, without blanks at its end; all its source lines when it spans several.
 *
 * @param source the lines of the text that was parsed
 */
export function rawOf({ text, line }: ConfigLine, source: readonly string[], continued: boolean): string {
  if (!continued && !text.includes('\n')) return (source[line - 1] ?? '').trimEnd();
  let end = line + text.split('\n').length - 1;
  while (continued && source[end - 1]?.trimEnd().endsWith('\\')) end++;
  return source
    .slice(line - 1, end)
    .map((one) => one.replace(/\r$/, ''))
    .join('\n')
    .trimEnd();
}
