/** A position in a text: line and column, both from 1. */
export type Position = { line: number; column: number };

/** The error for a template that does not compile, or does not render with the given variables, with its position. */
export class JinjaError extends Error implements Position {
  readonly line: number;
  readonly column: number;
  /** Name of the variable without a value, when that is the reason. */
  readonly variable: string | undefined;

  constructor(reason: string, { line, column }: Position, variable?: string) {
    super(`${reason} (line ${line}, column ${column})`);
    this.name = 'JinjaError';
    this.line = line;
    this.column = column;
    this.variable = variable;
  }
}

/**
 * Returns the line and column of an offset.
 *
 * @param text source of the template
 * @param offset number of UTF-16 code units before the position
 */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/**
 * Returns the error for an offset of a template.
 *
 * @param text of the template
 * @param offset in the text, in characters
 * @param reason message without the position
 * @param variable name of the undefined variable that caused it
 */
export const jinjaError = (text: string, offset: number, reason: string, variable?: string): JinjaError =>
  new JinjaError(reason, positionAt(text, offset), variable);
