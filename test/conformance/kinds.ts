import type { Kind } from './case.ts';
import { children } from './kinds/children.ts';
import { compliance } from './kinds/compliance.ts';
import { diff } from './kinds/diff.ts';
import { feature } from './kinds/feature-compliance.ts';
import { notParsed } from './kinds/not-parsed.ts';
import { parse } from './kinds/parse.ts';
import { remediation } from './kinds/remediation.ts';
import { section } from './kinds/section.ts';
import { toSet } from './kinds/to-set.ts';
import { unordered } from './kinds/unordered.ts';

/** What runs the cases of a kind, one file each. A kind that is not here is counted as missed. */
export const KINDS: Readonly<Record<string, Kind>> = {
  parse,
  compliance,
  diff,
  section,
  not_parsed: notParsed,
  unordered,
  feature_compliance: feature,
  children,
  to_set: toSet,
  remediation,
};
