import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { oneStandsAt } from '../parsing/plan.ts';
import { nextLine, rawLine, type Source, sourceOf } from '../parsing/source.ts';
import { visits } from '../parsing/visits.ts';

/** Number of lines searched to decide whether a line leaves a section. */
const LOOK_AHEAD = 64;

/**
 * Returns whether every nested section is closed by a line of its own, and every such line closes one. Dialects without
 * closing lines, and texts that close nothing, always match.
 */
export function closersMatch({ lines }: ParsedConfig, dialect: Dialect): boolean {
  if (!dialect.topLevel) return true;
  let closed = 0;
  let unmatched = 0;
  for (const { line, leaving } of visits(lines)) {
    if (leaving) continue;
    if (line.end !== undefined) closed++;
    else if (dialect.closers.includes(line.text)) unmatched++;
    else if (line.children.length > 0 && (line.parent || mayNotBeTop(line.text, dialect))) unmatched++;
  }
  return closed === 0 || unmatched === 0;
}

/**
 * Clears `topLevel` when a text has no titles of parts, such as the `echo` lines of SR OS: somebody may have shortened
 * them to their words, which then appear outside all sections.
 */
export function withKnownTop(text: string, dialect: Dialect): Dialect {
  const { titles } = dialect;
  return titles === undefined || text.includes(titles) ? dialect : { ...dialect, topLevel: [] };
}

const mayNotBeTop = (text: string, dialect: Dialect): boolean =>
  dialect.topLevel?.length !== 0 && !beginsTop(text, dialect);

const beginsTop = (text: string, { topLevel = [] }: Dialect): boolean =>
  topLevel.includes(text.split(' ', 1)[0] ?? '');

/** Returns whether over 90 % of the lines are aligned to the dialect's step: otherwise columns prove less than words. */
export function isAligned(text: string, { step }: Dialect): boolean {
  const source = sourceOf(text);
  let aligned = 0;
  let others = 0;
  while (nextLine(source)) {
    if (source.from === source.to) continue;
    if (source.indent % step === 0) aligned++;
    else others++;
  }
  return aligned > 9 * others;
}

/** The open section that the next line belongs to; `leaf` is the previous line when it may still open one. */
type OpenSection = { section: ConfigLine | null; leaf: ConfigLine | null; column: number };

function placeAfter(last: ConfigLine | null, lines: readonly ConfigLine[]): OpenSection {
  let closed: ConfigLine | null = null;
  for (let one = last; one; one = one.parent) if (one.end !== undefined) closed = one;
  const section = (closed ?? last)?.parent ?? null;
  const leaf = closed ? null : last;
  return { section, leaf, column: (section?.children ?? lines)[0]?.indent ?? 0 };
}

/** Rounds an indentation to the step, because one or two blanks may be missing or extra. */
const nearestColumn = (indent: number, step: number): number => Math.round(indent / step) * step;

/**
 * Returns the column that the current line of a damaged text belongs to; warns when it is not the line's own, or when the
 * line leaves an unclosed section.
 */
export function recoveredColumn(
  last: ConfigLine | null,
  source: Source,
  dialect: Dialect,
  parsed: ParsedConfig,
): number {
  const place = placeAfter(last, parsed.lines);
  const { section, column } = place;
  const own = nearestColumn(source.indent, dialect.step);
  const meant = meantColumn(own, place, source, dialect);
  if (meant !== source.indent) {
    parsed.warnings.push({
      line: source.line,
      reason: 'the indentation does not match the surrounding lines',
    });
  } else if (meant < column) {
    warnOfUnclosed(section, meant, parsed);
  }
  return meant;
}

function meantColumn(own: number, place: OpenSection, source: Source, dialect: Dialect): number {
  const { section, leaf, column } = place;
  const { step } = dialect;
  if ((!section && !leaf) || (own === 0 && beginsTop(source.text.slice(source.from, source.to), dialect)))
    return own;
  const inside = leaf ? leaf.indent + step : column;
  const next = nextColumn(source, dialect) ?? 0;
  if (own > column) {
    if (!leaf) return column;
    return own === inside || next >= inside ? inside : column;
  }
  if (own < column && leaves(own, place, source, dialect)) return own;
  if (own === column && !(leaf && own === 0 && isStray(leaf, source, dialect))) {
    return leaf && next > own + step ? inside : own;
  }
  // If the next line is further right than the section's lines can be, this line opens a section within the previous one.
  return leaf && (own === column || next > column + step) ? inside : column;
}

/** Returns whether a line may not be outside all sections, although the line before it may. */
const isStray = (outer: ConfigLine, { text, from, to }: Source, dialect: Dialect): boolean =>
  beginsTop(outer.text, dialect) && !beginsTop(text.slice(from, to), dialect);

function warnOfUnclosed(section: ConfigLine | null, column: number, { warnings }: ParsedConfig): void {
  for (let one = section; one && one.indent >= column; one = one.parent) {
    if (one.end === undefined) warnings.push({ line: one.line, reason: 'the section is not closed' });
  }
}

/** Returns whether a line left of its section is a statement of an outer section, followed by lines of that section. */
function leaves(own: number, { section }: OpenSection, source: Source, dialect: Dialect): boolean {
  let outer = section;
  while (outer && outer.indent > own) outer = outer.parent;
  if (outer?.indent !== own) return false;
  if (own === 0 && isStray(outer, source, dialect)) return false;
  const ahead = { ...source };
  for (let count = 0; count < LOOK_AHEAD && nextStatement(ahead, dialect); count++) {
    if (isCloser(ahead, dialect)) return ahead.indent <= own;
    if (ahead.indent !== own) return ahead.indent < own || ahead.indent === own + dialect.step;
  }
  return true;
}

/**
 * Closes the section that the current closing line is meant for.
 *
 * @returns whether the line is handled; false when it closes nothing outside all sections and stays an ordinary line
 */
export function closeRecovered(
  last: ConfigLine | null,
  source: Source,
  dialect: Dialect,
  parsed: ParsedConfig,
): boolean {
  const { section, leaf, column } = placeAfter(last, parsed.lines);
  const own = nearestColumn(source.indent, dialect.step);
  const next = nextColumn(source, dialect) ?? 0;
  let found = leaf ?? section;
  while (found && found.indent !== own) found = found.parent;
  if (!found || next > own) found = closesInner(next, own, { section, leaf, column }) ? section : null;
  if (!found) {
    const reason = `${source.text.slice(source.from, source.to)} closes nothing`;
    parsed.warnings.push({ line: source.line, reason });
    return section !== null;
  }
  if (found.indent !== source.indent) {
    parsed.warnings.push({
      line: source.line,
      reason: 'the indentation does not match the surrounding lines',
    });
  }
  for (let one = section; one && one !== found && found !== leaf; one = one.parent) {
    parsed.warnings.push({ line: one.line, reason: 'the section is not closed' });
  }
  found.end = rawLine(source);
  return true;
}

/** Returns whether a closing line in an unusual column closes the innermost section: the lines after it are outside. */
const closesInner = (next: number, own: number, { section, leaf, column }: OpenSection): boolean =>
  section !== null && next <= section.indent && (leaf !== null || own !== column);

const isCloser = ({ text, from, to }: Source, { closers }: Dialect): boolean =>
  closers.includes(text.slice(from, to));

/** Returns the column of the next statement or closing line. */
function nextColumn(source: Source, dialect: Dialect): number | undefined {
  const ahead = { ...source };
  return nextStatement(ahead, dialect) ? nearestColumn(ahead.indent, dialect.step) : undefined;
}

/** Moves to the next line that is neither empty nor a comment. */
function nextStatement(source: Source, dialect: Dialect): boolean {
  while (nextLine(source)) {
    const { text, from, to } = source;
    if (from === to) continue;
    if (isCloser(source, dialect) || !oneStandsAt(dialect.comments, text, from, to)) return true;
  }
  return false;
}
