import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Severity } from '../rules/program.ts';

/** The type of issue that a change fixes. */
export type IssueType = 'required' | 'disallowed' | 'ordering';

/** A line that is added, removed, replaced or moved (contract/lifecycle#4.10). */
export type Change = {
  /** `c1`, `c2`, … */
  id: string;
  /** Lines above, outermost first. */
  parents: string[];
  /** The line to remove; equal to `new` when the line moves. */
  old: string | null;
  new: string | null;
  /** The line that `new` follows, null for the first place; absent: the last place. */
  after?: string | null;
  type: IssueType;
  severity: Severity;
  specId: string;
  lineId: string;
  selected: boolean;
  /** Known risks; empty when none is known. */
  risk: string;
};

/** An issue for which nothing can be proposed. */
export type Manual = {
  reason: string;
  spec: Line;
  specId: string;
  parents: string[];
  type: IssueType;
  severity: Severity;
};
