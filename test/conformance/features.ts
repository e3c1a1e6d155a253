import { type Outlined, outline } from './outline.ts';

/** A feature: a part of a configuration, by what its lines at the top begin with. */
export type Feature = { name: string; ordered: boolean; section?: string[] };

/** What a configuration holds of a feature: the lines that begin so, and all below them. */
export function sectionOf(feature: Feature, config: string, os: string): string {
  if (!feature.section || feature.section.length === 0) return config;
  const heads = feature.section;
  const lines: string[] = [];
  let within = false;
  for (const { line, parents } of outline(config, os)) {
    within =
      (within && parents.length > 0) || (parents.length === 0 && heads.some((head) => line.startsWith(head)));
    if (within) lines.push(line);
  }
  return lines.join('\n').trimEnd();
}

const keyOf = ({ line, parents }: Outlined) => JSON.stringify([line, parents]);

/** The lines of one configuration that another has not, with the lines that they belong to. */
export function diff(compare: string, base: string, os: string): string {
  const there = new Set(outline(base, os).map(keyOf));
  const told = new Set<string>();
  const lines: string[] = [];
  for (const one of outline(compare, os)) {
    if (there.has(keyOf(one))) continue;
    for (let depth = 0; depth < one.parents.length; depth++) {
      const parent = { line: one.parents[depth] ?? '', parents: one.parents.slice(0, depth) };
      if (told.has(keyOf(parent))) continue;
      told.add(keyOf(parent));
      lines.push(parent.line);
    }
    told.add(keyOf(one));
    lines.push(one.line);
  }
  return lines.join('\n');
}

/** Whether all intended lines are there, whatever their order, and the pairs that stand elsewhere. */
export function unordered(intended: string, actual: string): [boolean, [string, string][]] {
  const wanted = linesOf(intended);
  const found = linesOf(actual);
  const pairs =
    wanted.length === found.length
      ? wanted.flatMap((line, at): [string, string][] =>
          line === found[at] ? [] : [[line, found[at] ?? '']],
        )
      : [];
  const there = new Set(found);
  return [wanted.every((line) => there.has(line)), pairs];
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** How two configurations agree on a feature. */
export function featureCompliance(
  feature: Feature,
  actualConfig: string,
  intendedConfig: string,
  os: string,
) {
  const actual = sectionOf(feature, actualConfig, os);
  const intended = sectionOf(feature, intendedConfig, os);
  const same = actual === intended;
  const missing = same ? '' : diff(intended, actual, os);
  const extra = same ? '' : diff(actual, intended, os);
  const anyOrder = same || (!missing && !extra && unordered(intended, actual)[0]);
  return {
    compliant: feature.ordered ? same : anyOrder,
    missing,
    extra,
    cannot_parse: true,
    unordered_compliant: anyOrder,
    ordered_compliant: same,
    actual,
    intended,
  };
}
