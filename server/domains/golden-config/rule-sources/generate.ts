import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { positionAt } from '#server/kernel/jinja/jinja-error.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { DEEPEST } from '../rules/limits.ts';
import { CLOSE, OPEN } from '../rules/marks.ts';
import type { TemplateNote } from './derive.ts';
import type { LineIds } from './line-ids.ts';
import { buildLines, type ReadConfig } from './line-tree.ts';

/** Returns a rule for each line of a configuration: required, verbatim (contract/lifecycle#4.6). */
export function generateLines(
  configText: string,
  dialect: Dialect,
  ids: LineIds,
  read?: ReadConfig,
): { lines: Line[]; issues: TemplateNote[] } {
  const text = configText.replaceAll(OPEN, '').replaceAll(CLOSE, '');
  const unmarked = { text, expressions: [], marks: new Map(), offsets: [] };
  const { lines, deepest } = buildLines(unmarked, { dialect, ids, read });
  const issues =
    deepest === undefined
      ? []
      : [{ ...positionAt(text, deepest), message: `lines are nested more than ${DEEPEST} levels deep` }];
  return { lines, issues };
}
