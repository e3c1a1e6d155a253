import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Matcher } from './matcher.ts';

export type Mode = NonNullable<Line['evalMode']>;
export type Severity = NonNullable<Line['severity']>;
export type Ordering = NonNullable<Line['ordering']>;

/** One rule, ready to be evaluated on the lines below one parent. */
export type Rule = {
  mode: Mode;
  severity: Severity;
  /** The exact text of the line; null where `matcher` applies. */
  text: string | null;
  matcher: Matcher | null;
  /** Its words as shown in messages. */
  shown: string;
  /** Its line as shown in issues: without the lines below it. */
  line: Line;
  /** Index of its spec in the program's `specIds`. */
  spec: number;
  below: RuleBranch | null;
};

/** The rules below one parent, with indexes from a line to the rules that may match it. */
export type RuleBranch = {
  rules: readonly Rule[];
  /** Indexes in `rules` by the line's text. */
  literals: ReadonlyMap<string, number>;
  /** Indexes in `rules` of patterns, by the first word of the line; null when there are none. */
  byFirstWord: ReadonlyMap<string, readonly number[]> | null;
  /** Indexes in `rules` of patterns that may begin with any word. */
  anywhere: readonly number[];
  ordering: Ordering;
  /** Severity of a broken order: the parent's. */
  severity: Severity;
};

/** The compiled rules of a node and of all nodes above it; immutable, so one program serves any number of devices. */
export type RuleProgram = {
  specIds: readonly string[];
  root: RuleBranch;
};
