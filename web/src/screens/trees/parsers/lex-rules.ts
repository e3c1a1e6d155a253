import type { Inputs } from '~/api/client.ts';

/** A rule of a config parser: an expression, and the token that its match is. */
export type LexRule = NonNullable<Inputs['configurationManager']['createParser']['lexRules']>[number];

const TOKENS: readonly string[] = [
  'end_line',
  'word',
  'comment',
  'open_statement_block',
  'close_statement_block',
] satisfies LexRule[1][];

/** Returns rules as a text, one per line: its token, a space, and its expression, in which a line end is written `\n`. */
export const rulesText = (rules: readonly LexRule[]): string =>
  rules
    .map(([expression, token]) => `${token} ${expression.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}`)
    .join('\n');

/** Returns the rules in a text of `rulesText`, or what is wrong with the first line that holds none. */
export function rulesIn(
  text: string,
): { rules: LexRule[]; problem?: undefined } | { rules?: undefined; problem: string } {
  const rules: LexRule[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, token = '', expression = ''] = /^\s*(\S+)(?: (.*))?$/.exec(line) ?? [];
    if (!TOKENS.includes(token))
      return { problem: `Line ${at + 1} must begin with one of ${TOKENS.join(', ')}` };
    if (expression === '') return { problem: `Line ${at + 1} needs an expression after ${token}` };
    rules.push([expression, token as LexRule[1]]);
  }
  return { rules };
}
