import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Severity } from '../rules/program.ts';

/** What a change mends. */
export type IssueType = 'required' | 'disallowed' | 'ordering';

/** One line that comes, goes, changes or moves (contract/lifecycle#4.10). */
export type Change = {
  /** `c1`, `c2`, … */
  id: string;
  /** Lines above, from the outermost on. */
  parents: string[];
  /** The line that goes; the same as `new` when it moves. */
  old: string | null;
  new: string | null;
  /** The line that it stands behind, null for the first place; absent: the last place. */
  after?: string | null;
  type: IssueType;
  severity: Severity;
  specId: string;
  lineId: string;
  selected: boolean;
  /** What may go wrong; empty when nothing is known. */
  risk: string;
};

/** What nothing can be proposed for. */
export type Manual = {
  reason: string;
  spec: Line;
  specId: string;
  parents: string[];
  type: IssueType;
  severity: Severity;
};
