import { type Outlined, outline, parentsOf } from './outline.ts';

/** A feature: a part of a configuration, by what its lines at the top begin with. */
export type Feature = { name: string; ordered: boolean; section?: string[] };

/** What a configuration holds of a feature: the lines that begin so, and all below them. */
export function sectionOf(feature: Feature, config: string, os: string): string {
  if (isWhole(feature)) return config;
  return textOf(linesOf(feature, outline(config, os)));
}

const isWhole = ({ section }: Feature): boolean => !section || section.length === 0;

function linesOf({ section = [] }: Feature, lines: readonly Outlined[]): Outlined[] {
  const found: Outlined[] = [];
  let within = false;
  for (const one of lines) {
    within = one.above === null ? section.some((head) => one.line.startsWith(head)) : within;
    if (within) found.push(one);
  }
  return found;
}

const textOf = (lines: readonly Outlined[]): string =>
  lines
    .map(({ line }) => line)
    .join('\n')
    .trimEnd();

/** Lines of several configurations: those of the same text below the same lines are one. */
type Same = { below: Map<string, Same> | null };

/** The lines as the places that they have among all. */
function placesOf(lines: readonly Outlined[], all: Same): Map<Outlined, Same> {
  const places = new Map<Outlined, Same>();
  const placeOf = ({ line, above }: Outlined): Same => {
    const over = above === null ? all : (places.get(above) ?? placeOf(above));
    over.below ??= new Map();
    let place = over.below.get(line);
    if (!place) {
      place = { below: null };
      over.below.set(line, place);
    }
    return place;
  };
  for (const one of lines) places.set(one, placeOf(one));
  return places;
}

/** The lines of one configuration that another has not, with the lines that they belong to. */
export function diff(compare: string, base: string, os: string): string {
  const all: Same = { below: null };
  const there = new Set(placesOf(outline(base, os), all).values());
  return beyond(outline(compare, os), there, all);
}

function beyond(lines: readonly Outlined[], there: ReadonlySet<Same>, all: Same): string {
  const places = placesOf(lines, all);
  const reported = new Set<string>();
  const out: string[] = [];
  for (const one of lines) {
    const place = places.get(one);
    if (!place || there.has(place)) continue;
    const parents = parentsOf(one);
    for (const [depth, parent] of parents.entries()) {
      const key = JSON.stringify(parents.slice(0, depth + 1));
      if (reported.has(key)) continue;
      reported.add(key);
      out.push(parent);
    }
    reported.add(JSON.stringify([...parents, one.line]));
    out.push(one.line);
  }
  return out.join('\n');
}

/** Whether all intended lines exist, in any order, and the pairs at other places. */
export function unordered(intended: string, actual: string): [boolean, [string, string][]] {
  const wanted = splitLines(intended);
  const found = splitLines(actual);
  const pairs =
    wanted.length === found.length
      ? wanted.flatMap((line, at): [string, string][] =>
          line === found[at] ? [] : [[line, found[at] ?? '']],
        )
      : [];
  const there = new Set(found);
  return [wanted.every((line) => there.has(line)), pairs];
}

const splitLines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** How two configurations agree on a feature. */
export function featureCompliance(
  feature: Feature,
  actualConfig: string,
  intendedConfig: string,
  os: string,
) {
  const [found] = compliance([feature], actualConfig, intendedConfig, os);
  return found?.[1];
}

/** How two configurations agree on each feature. Each configuration is read once. */
export function compliance(
  features: readonly Feature[],
  actualConfig: string,
  intendedConfig: string,
  os: string,
) {
  const has = outline(actualConfig, os);
  const wants = outline(intendedConfig, os);
  return features.map((feature) => {
    const whole = isWhole(feature);
    const actualLines = whole ? has : linesOf(feature, has);
    const intendedLines = whole ? wants : linesOf(feature, wants);
    const actual = whole ? actualConfig : textOf(actualLines);
    const intended = whole ? intendedConfig : textOf(intendedLines);
    const same = actual === intended;
    const all: Same = { below: null };
    const missing = same ? '' : beyond(intendedLines, new Set(placesOf(actualLines, all).values()), all);
    const extra = same ? '' : beyond(actualLines, new Set(placesOf(intendedLines, all).values()), all);
    const anyOrder = same || (!missing && !extra && unordered(intended, actual)[0]);
    const found = {
      compliant: feature.ordered ? same : anyOrder,
      missing,
      extra,
      cannot_parse: true,
      unordered_compliant: anyOrder,
      ordered_compliant: same,
      actual,
      intended,
    };
    return [feature.name, found] as const;
  });
}
