import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Matcher } from './matcher.ts';

export type Mode = NonNullable<Line['evalMode']>;
export type Severity = NonNullable<Line['severity']>;
export type Ordering = NonNullable<Line['ordering']>;

/** One rule, ready to be held against the lines below one parent. */
export type Rule = {
  mode: Mode;
  severity: Severity;
  /** The line as it must stand, or else what a line must match. */
  text: string | null;
  matcher: Matcher | null;
  /** Its words as messages show them. */
  shown: string;
  /** Its line as issues show it: without the lines below it. */
  line: Line;
  /** Place of its spec in the program's. */
  spec: number;
  below: RuleBranch | null;
};

/** Rules that hold below one parent, and the ways from a line to those that it may meet. */
export type RuleBranch = {
  rules: readonly Rule[];
  /** By the line's text: place in `rules`. */
  literals: ReadonlyMap<string, number>;
  /** By the line's first word: places in `rules` of patterns that begin with it; null when there are none. */
  byFirstWord: ReadonlyMap<string, readonly number[]> | null;
  /** Patterns that may begin with any word. */
  anywhere: readonly number[];
  ordering: Ordering;
  /** Severity of a broken order: the parent's. */
  severity: Severity;
};

/** A rule of one spec that one further down replaces (contract/engines#inheritance). */
export type Shadowed = {
  /** Words of the line and of those above it. */
  path: string[];
  /** The spec whose rule holds, and the one whose rule does not. */
  specId: string;
  shadowedSpecId: string;
};

/** The rules of a node and of those above it, compiled; nothing changes it, so one serves any number of devices. */
export type RuleProgram = {
  specIds: readonly string[];
  root: RuleBranch;
  shadowed: readonly Shadowed[];
  /** Names of the variables whose values the rules hold. */
  reads: ReadonlySet<string>;
};
