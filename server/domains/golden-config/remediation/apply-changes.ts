import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { behindWords, planOf } from '../parsing/plan.ts';
import { INACTIVE } from '../parsing/to-set.ts';
import { visits } from '../parsing/visits.ts';
import type { Change } from './change.ts';

/** The fields of a change that are needed to apply it. */
type AppliedChange = Pick<Change, 'parents' | 'old' | 'new' | 'after'>;

/** The lines below one line, or at the top level, also by their texts. */
type Section = { parent: ConfigLine | null; children: ConfigLine[]; byText: Map<string, ConfigLine[]> };

/** The sections that changes have reached, by the line above; null for the top level. */
type Places = Map<ConfigLine | null, Section>;

/**
 * Returns a configuration after changes, applied in order; the input stays unchanged. Removing a missing line or adding
 * an existing one changes nothing. Missing lines above are added with the line.
 */
export function applyChanges(
  parsed: ParsedConfig,
  changes: readonly AppliedChange[],
  dialect: Dialect,
): ParsedConfig {
  const lines = copied(parsed);
  const places: Places = new Map();
  const top = placeAt(null, lines, places);
  for (const change of changes) apply(top, change, places, dialect);
  return { ...parsed, lines };
}

function copied({ lines }: ParsedConfig): ConfigLine[] {
  const roots: ConfigLine[] = [];
  const open: ConfigLine[] = [];
  for (const { line, leaving } of visits(lines)) {
    if (leaving) {
      open.pop();
      continue;
    }
    const parent = open.at(-1) ?? null;
    const copy: ConfigLine = { ...line, parent, children: [] };
    (parent?.children ?? roots).push(copy);
    open.push(copy);
  }
  return roots;
}

function placeAt(parent: ConfigLine | null, children: ConfigLine[], places: Places): Section {
  const known = places.get(parent);
  if (known) return known;
  const byText = new Map<string, ConfigLine[]>();
  for (const line of children) byText.set(line.text, [...(byText.get(line.text) ?? []), line]);
  const place = { parent, children, byText };
  places.set(parent, place);
  return place;
}

function apply(
  top: Section,
  { parents, old, new: wanted, after }: AppliedChange,
  places: Places,
  dialect: Dialect,
): void {
  const below = placesBelow(top, parents, places);
  if (wanted === null) {
    for (const place of below) takeOut(place, old);
    return;
  }
  const place = below[0] ?? ensureSection(top, parents, places, dialect);
  const there = below.flatMap(({ byText }) => byText.get(wanted) ?? [])[0];
  if (old === `${INACTIVE}${wanted}` && !there) {
    for (const one of below) activate(one, old, wanted);
    return;
  }
  if (old !== null && old !== wanted) {
    for (const one of below) takeOut(one, old);
  }
  if (!there) insertLine(place, lineOf(wanted, place.parent, dialect), after);
  else if (old === wanted) {
    takeOut(place, wanted);
    insertLine(place, there, after);
  }
}

/** Returns every section below lines of these texts. */
function placesBelow(top: Section, parents: readonly string[], places: Places): Section[] {
  let found = [top];
  for (const text of parents) {
    found = found.flatMap(({ byText }) =>
      (byText.get(text) ?? []).map((line) => placeAt(line, line.children, places)),
    );
  }
  return found;
}

/** Returns the section below lines of these texts; adds the lines that are missing. */
function ensureSection(top: Section, parents: readonly string[], places: Places, dialect: Dialect): Section {
  let place = top;
  for (const text of parents) {
    let line = place.byText.get(text)?.[0];
    if (!line) {
      line = lineOf(text, place.parent, dialect);
      insertLine(place, line, undefined);
    }
    place = placeAt(line, line.children, places);
  }
  return place;
}

function takeOut({ children, byText }: Section, text: string | null): void {
  if (text === null || !byText.delete(text)) return;
  for (let at = children.length - 1; at >= 0; at--) if (children[at]?.text === text) children.splice(at, 1);
}

/** Puts statements into force; what is below them stays. */
function activate({ byText }: Section, old: string, wanted: string): void {
  const lines = byText.get(old) ?? [];
  byText.delete(old);
  byText.set(wanted, lines);
  for (const line of lines) line.text = wanted;
}

function insertLine({ children, byText }: Section, line: ConfigLine, after: string | null | undefined): void {
  byText.set(line.text, [...(byText.get(line.text) ?? []), line]);
  if (after === undefined) children.push(line);
  else if (after === null) children.unshift(line);
  else {
    const found = byText.get(after)?.at(-1);
    const at = found ? children.lastIndexOf(found) : -1;
    children.splice(at === -1 ? children.length : at + 1, 0, line);
  }
}

function lineOf(text: string, parent: ConfigLine | null, dialect: Dialect): ConfigLine {
  const block = parent !== null && (text.includes('\n') || opensBlock(parent.text, dialect));
  return { text, line: 0, indent: 0, parent, children: [], ...(block && { block }) };
}

/** Returns whether a line of this text opens a block that is kept verbatim. */
export function opensBlock(text: string, dialect: Dialect): boolean {
  return planOf(dialect).blocks.some(
    ({ words, ends }) => ends !== 'brace' && behindWords(words, text, 0, text.length) !== -1,
  );
}
