import type { RE2JS } from 're2js';

/** What a Value may be told beside its expression; what each does is told in run.ts. */
export const VALUE_OPTIONS = ['Required', 'Filldown', 'Fillup', 'Key', 'List'] as const;
export type ValueOption = (typeof VALUE_OPTIONS)[number];

/** A column of the records: what of a line it takes. */
export type Value = {
  name: string;
  options: ReadonlySet<ValueOption>;
  /** Its expression with the parentheses around it. */
  source: string;
  /** For a List whose expression names groups of its own: each element is then an object of these. */
  groups: RE2JS | null;
};

/** What happens to the line: the next one is read, further rules see this one too, or the text is refused. */
export type LineAction = 'Next' | 'Continue' | 'Error';

/** What happens to the record under way. */
export type RecordAction = 'NoRecord' | 'Record' | 'Clear' | 'Clearall';

export type TextFsmRule = {
  /** Line of the template, from 1. */
  line: number;
  expression: RE2JS;
  /** Size of the expression's program: what a character costs at most. */
  steps: number;
  /** Names of the values that the expression assigns, in its order. */
  assigns: readonly string[];
  lineAction: LineAction;
  recordAction: RecordAction;
  /** The state to go on in; null: the same. */
  next: string | null;
  /** What an Error says, in the author's words. */
  message: string | null;
};

/** A compiled template. `End` is never among the states: reaching it ends the reading. */
export type TextFsm = { values: readonly Value[]; states: ReadonlyMap<string, readonly TextFsmRule[]> };

/** What is wrong with one line of a template, from 1. */
export type LineIssue = { line: number; message: string };

/** A template that cannot be used, with everything that is wrong with it. */
export class TextFsmRefused extends Error {
  readonly issues: readonly LineIssue[];
  constructor(issues: readonly LineIssue[]) {
    super(issues.map(({ line, message }) => `line ${line}: ${message}`).join('; '));
    this.name = 'TextFsmRefused';
    this.issues = issues;
  }
}

/** The bounds of one template, so that no author sets what compiling costs. */
export const BOUNDS = {
  /** Characters of the template, and of one line. */
  text: 200_000,
  lineLength: 4000,
  values: 300,
  rules: 2000,
  /** Characters of a state's or value's name. */
  name: 48,
  /** Characters and steps of one expression, its values written out; steps of all expressions together. */
  expression: { longest: 8000, steps: 5000 },
  allSteps: 200_000,
} as const;
