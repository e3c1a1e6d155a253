import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import { compileTemplate, TemplateRefused } from '#server/domains/assets/index.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { isDerived, variablesIn } from './program-source.ts';

/** What specs read, by their editions. */
export type SpecReads = Map<string, readonly string[]>;
/** Specs of which this process remembers what they read. */
const REMEMBERED = 5000;

/**
 * Names of the variables that a spec reads; a template that cannot be read is told where it is rendered.
 *
 * @param known of the specs of this database
 * @param edition tells this edition of the spec from all others
 */
export function readsOf(
  known: SpecReads,
  edition: string,
  spec: Pick<Spec, 'template' | 'lines'>,
): readonly string[] {
  const before = known.get(edition);
  if (before) return before;
  const reads = isDerived(spec) ? templateReads(spec.template) : variablesIn(spec.lines);
  return keepLatest(known, REMEMBERED, edition, [...reads]);
}

function templateReads(template: string): Iterable<string> {
  try {
    return compileTemplate(template).reads;
  } catch (error) {
    if (!(error instanceof TemplateRefused)) throw error;
    return [];
  }
}
