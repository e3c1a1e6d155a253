import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { JinjaError } from '#server/kernel/jinja/jinja-error.ts';
import { compileTemplate } from '#server/kernel/jinja/template.ts';
import { isDerived, variablesIn } from './program-source.ts';

/** Names of the variables that specs read, by edition of the spec. */
export type SpecReads = Map<string, readonly string[]>;
/** Maximum number of specs in this cache. */
const REMEMBERED = 5000;

/**
 * Returns the names of the variables that a spec reads. A template that cannot be compiled yields none here: rendering
 * reports it.
 *
 * @param known cache for the specs of this database
 * @param edition identifies this edition of the spec
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
    if (!(error instanceof JinjaError)) throw error;
    return [];
  }
}
