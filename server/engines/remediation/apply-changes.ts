import type { ConfigLine, ParsedConfig } from '#server/engines/dialects/config-line.ts';
import type { Dialect } from '#server/engines/dialects/dialect.ts';
import { behindWords, planOf } from '#server/engines/dialects/plan.ts';
import { visits } from '#server/engines/dialects/visits.ts';
import type { Change } from './change.ts';

/**
 * A configuration after changes, in their order; the one given stays as it is. What a change wants gone and is not
 * there, or wants there and is, changes nothing. Lines above that are missing come with the line.
 */
export function applyChanges(
  parsed: ParsedConfig,
  changes: readonly Pick<Change, 'parents' | 'old' | 'new' | 'after'>[],
  dialect: Dialect,
): ParsedConfig {
  const after: ParsedConfig = { ...parsed, lines: copied(parsed) };
  for (const change of changes) apply(after, change, dialect);
  return after;
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

/** Where lines stand: below a line, or at the top. */
type Place = { parent: ConfigLine | null; children: ConfigLine[] };

function apply(
  parsed: ParsedConfig,
  { parents, old, new: wanted, after }: Pick<Change, 'parents' | 'old' | 'new' | 'after'>,
  dialect: Dialect,
): void {
  const places = placesOf(parsed, parents);
  if (wanted === null) {
    for (const place of places) takeOut(place, old);
    return;
  }
  const place = places[0] ?? grown(parsed, parents, dialect);
  const there = places.flatMap(({ children }) => children).find(({ text }) => text === wanted);
  if (old !== null && old !== wanted) {
    for (const one of places) takeOut(one, old);
  }
  if (!there) put(place, lineOf(wanted, place.parent, dialect), after);
  else if (old === wanted) {
    takeOut(place, wanted);
    put(place, there, after);
  }
}

/** Every place below lines of these texts. */
function placesOf({ lines }: ParsedConfig, parents: readonly string[]): Place[] {
  let places: Place[] = [{ parent: null, children: lines }];
  for (const text of parents) {
    places = places.flatMap(({ children }) =>
      children
        .filter((line) => line.text === text)
        .map((line) => ({ parent: line, children: line.children })),
    );
  }
  return places;
}

/** The place below lines of these texts; those that are missing are made. */
function grown({ lines }: ParsedConfig, parents: readonly string[], dialect: Dialect): Place {
  let place: Place = { parent: null, children: lines };
  for (const text of parents) {
    let line = place.children.find((one) => one.text === text);
    if (!line) {
      line = lineOf(text, place.parent, dialect);
      place.children.push(line);
    }
    place = { parent: line, children: line.children };
  }
  return place;
}

function takeOut({ children }: Place, text: string | null): void {
  for (let at = children.length - 1; at >= 0; at--) if (children[at]?.text === text) children.splice(at, 1);
}

function put({ children }: Place, line: ConfigLine, after: string | null | undefined): void {
  if (after === undefined) children.push(line);
  else if (after === null) children.unshift(line);
  else {
    const at = children.findLastIndex(({ text }) => text === after);
    children.splice(at === -1 ? children.length : at + 1, 0, line);
  }
}

function lineOf(text: string, parent: ConfigLine | null, dialect: Dialect): ConfigLine {
  const block = parent !== null && (text.includes('\n') || opensBlock(parent.text, dialect));
  return { text, line: 0, indent: 0, parent, children: [], ...(block && { block }) };
}

/** Whether what stands below a line of this text is one block, kept as it is. */
export function opensBlock(text: string, dialect: Dialect): boolean {
  return planOf(dialect).blocks.some(
    ({ words, ends }) => ends !== 'brace' && behindWords(words, text, 0, text.length) !== -1,
  );
}
