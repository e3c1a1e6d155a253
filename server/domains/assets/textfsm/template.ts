import type { LineExpression } from './expressions.ts';

/** The options of a Value; run.ts implements them. */
export const VALUE_OPTIONS = ['Required', 'Filldown', 'Fillup', 'Key', 'List'] as const;
export type ValueOption = (typeof VALUE_OPTIONS)[number];

/** A column of the records, with the expression for its text. */
export type Value = {
  name: string;
  options: ReadonlySet<ValueOption>;
  /** The expression, including its outer parentheses. */
  source: string;
  /** Set for a List whose expression has named groups: each element is then an object of these. */
  groups: LineExpression | null;
};

/** The action for the line: read the next one, try further rules on this one, or reject the text. */
export type LineAction = 'Next' | 'Continue' | 'Error';

/** The action for the current record. */
export type RecordAction = 'NoRecord' | 'Record' | 'Clear' | 'Clearall';

export type TextFsmRule = {
  /** Line of the template, from 1. */
  line: number;
  expression: LineExpression;
  /** Names of the values that the expression assigns, in their order. */
  assigns: readonly string[];
  lineAction: LineAction;
  recordAction: RecordAction;
  /** The next state; null: the same. */
  next: string | null;
  /** The message of an Error action, as written in the template. */
  message: string | null;
};

/** A compiled template. `End` is never among the states: reaching it ends the parsing. */
export type TextFsm = { values: readonly Value[]; states: ReadonlyMap<string, readonly TextFsmRule[]> };

/** An issue of one line of a template, counted from 1. */
export type LineIssue = { line: number; message: string };

/** The error for an invalid template, with every issue. */
export class TextFsmTemplateError extends Error {
  readonly issues: readonly LineIssue[];
  constructor(issues: readonly LineIssue[]) {
    super(issues.map(({ line, message }) => `line ${line}: ${message}`).join('; '));
    this.name = 'TextFsmTemplateError';
    this.issues = issues;
  }
}
