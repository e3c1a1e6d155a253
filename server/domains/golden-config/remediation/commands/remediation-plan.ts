import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { ConfigLine, ParsedConfig } from '../../parsing/config-line.ts';
import { flat } from '../../parsing/source.ts';
import { INACTIVE } from '../../parsing/to-set.ts';
import { brokenOrder } from '../../rule-sources/ordering.ts';
import type { Rule, RuleBranch, RuleProgram } from '../../rules/program.ts';
import { firstWordOf } from '../../rules/words.ts';
import { opensBlock } from '../apply-changes.ts';
import type { Change, IssueType, Manual } from '../change.ts';
import { lineWords } from '../line-path.ts';
import { entryKey, isEntry, namesList, numberOf, type Placing, placingBelow } from '../placing.ts';
import { type Section, sectionsOf } from '../sections.ts';
import type { CompiledPlatform, Words } from './compiled-platform.ts';
import { sameItem } from './menus.ts';
import { moves } from './moves.ts';
import { replacementKey, swapped } from './negation.ts';
import { additionObstacle, removalObstacle, takesPaths } from './obstacles.ts';

/** The remediation of a configuration: the changes, and the issues that only a user can decide. */
export type RemediationPlan = { changes: Change[]; manual: Manual[] };

/** Options that decide which changes are selected initially. */
export type SelectionState = {
  /** Selects the removal of disallowed lines, whatever the `fixMode` of their rules. */
  removeDisallowed: boolean;
};

type SearchState = RemediationPlan & {
  program: RuleProgram;
  platform: CompiledPlatform;
  root: Section;
  selecting: SelectionState;
  /** Keys of the changes already proposed: several rules may require the same change. */
  seen: Set<string>;
};

/** Lines that rules are evaluated on. */
type SectionLines = { children: readonly ConfigLine[]; parents: string[]; words: Words; placing: Placing };

/**
 * Returns the changes that make a configuration meet rules: for each issue a change, or the reason why there is none
 * (contract/engines#remediation).
 *
 * @throws TooDeep
 */
export function remediationPlanOf(
  program: RuleProgram,
  parsed: ParsedConfig,
  platform: CompiledPlatform,
  selecting: SelectionState = { removeDisallowed: false },
): RemediationPlan {
  const root = sectionsOf(parsed.lines, platform, { whole: false });
  const seeking: SearchState = {
    program,
    platform,
    root,
    selecting,
    seen: new Set(),
    changes: [],
    manual: [],
  };
  seek(program.root, { children: parsed.lines, parents: [], words: [], placing: 'behind' }, seeking);
  return { changes: seeking.changes, manual: seeking.manual };
}

/** The lines of a section, with those that each rule matches. */
type MatchedSection = SectionLines & {
  met: readonly (readonly ConfigLine[])[];
  /** The existing lines, by what a new line that replaces them has in common with them; computed on first use. */
  taken?: ReplacedLines;
  /** The existing entries by their key, and the entries with a number in its order; computed on first use. */
  entries?: ReadonlyMap<string, string>;
  numbered?: NumberedEntry[];
};

type NumberedEntry = { number: number; text: string };

type ReplacedLines = { texts: ReadonlySet<string>; byKey: ReadonlyMap<string, string> };

function seek(branch: RuleBranch, place: SectionLines, seeking: SearchState): void {
  const met = linesMatchedBy(branch, place.children);
  const here: MatchedSection = { ...place, met };
  for (const [at, rule] of branch.rules.entries()) {
    if (rule.mode === 'ignored') continue;
    const lines = met[at] ?? [];
    if (rule.mode === 'disallowed' && lines.length > 0) remove(rule, lines, place, seeking);
    else if (rule.mode === 'required' && lines.length === 0) require(branch, at, here, seeking);
    else if (rule.below) {
      for (const group of groups(lines)) seek(rule.below, inside(group, place, seeking), seeking);
    }
  }
  if (branch.ordering !== 'none') arrange(branch, place, seeking);
}

/** Returns the lines that each rule of a branch matches. */
function linesMatchedBy(
  { rules, literals, byFirstWord, anywhere }: RuleBranch,
  children: readonly ConfigLine[],
): ConfigLine[][] {
  const met: ConfigLine[][] = rules.map(() => []);
  for (const child of children) {
    const literal = literals.get(child.text);
    if (literal !== undefined) met[literal]?.push(child);
    for (const places of [byFirstWord?.get(firstWordOf(child.text)) ?? [], anywhere]) {
      for (const at of places) if (rules[at]?.matcher?.matches(child.text)) met[at]?.push(child);
    }
  }
  return met;
}

/** Groups lines by text; lines of the same text are one parent. */
function groups(lines: readonly ConfigLine[]): ConfigLine[][] {
  const byText = new Map<string, ConfigLine[]>();
  for (const line of lines) byText.set(line.text, [...(byText.get(line.text) ?? []), line]);
  return [...byText.values()];
}

function inside(
  group: readonly ConfigLine[],
  place: SectionLines,
  { root, platform }: SearchState,
): SectionLines {
  const text = flat(group[0]?.text ?? '');
  const words = [...place.words, lineWords(text)];
  return {
    children: group.flatMap(({ children }) => children),
    parents: [...place.parents, text],
    words,
    placing: placingBelow(words, root.byText.get(place.parents[0] ?? text), root, platform),
  };
}

function remove(rule: Rule, lines: readonly ConfigLine[], place: SectionLines, seeking: SearchState): void {
  const { platform, selecting } = seeking;
  for (const [line] of groups(lines)) {
    if (!line) continue;
    const hindered = removalObstacle(line, platform);
    if (hindered !== null) decline(rule, 'disallowed', hindered, place, seeking);
    else if (place.placing === 'last' || (isEntry(line.text) && !platform.rules.commits))
      decline(
        rule,
        'disallowed',
        'while the line is being removed, the list would permit unintended traffic',
        place,
        seeking,
      );
    else if (line.block) decline(rule, 'disallowed', 'the text belongs to the line above', place, seeking);
    else
      propose(rule, 'disallowed', place, seeking, {
        old: flat(line.text),
        new: null,
        selected: selecting.removeDisallowed || rule.line.fixMode === 'automatic',
        risk: line.children.length > 0 ? 'removing the line also removes the lines below it' : '',
      });
  }
}

/** Proposes a missing line, and every required line below it. */
function require(branch: RuleBranch, at: number, place: MatchedSection, seeking: SearchState): void {
  const rule = branch.rules[at];
  if (!rule) return;
  const { platform } = seeking;
  const reason = additionObstacle(rule.text, place, platform) ?? numberObstacle(rule.text, place, platform);
  if (reason !== null) decline(rule, 'required', reason, place, seeking);
  else {
    const text = rule.text ?? '';
    propose(rule, 'required', place, seeking, {
      old: replacedBy(text, place, seeking),
      new: text,
      ...position(branch, at, place, seeking),
      selected: true,
      risk: riskOfAdding(text, place),
    });
  }
  if (!rule.below) return;
  const text = rule.text ?? rule.shown;
  const words = [...place.words, lineWords(text)];
  const placing = placingBelow(
    words,
    seeking.root.byText.get(place.parents[0] ?? text),
    seeking.root,
    seeking.platform,
  );
  const below: MatchedSection = { met: [], children: [], parents: [...place.parents, text], words, placing };
  for (const [n, child] of rule.below.rules.entries()) {
    if (child.mode !== 'required') continue;
    if (reason === null) require(rule.below, n, below, seeking);
    else decline(child, 'required', 'it belongs to a line that needs a decision by a user', below, seeking);
  }
}

/** Returns the line that a new one replaces on the device: the same command with another value, or its negation. */
function replacedBy(text: string, place: MatchedSection, { platform }: SearchState): string | null {
  const { children, words, parents } = place;
  if (takesPaths(platform)) {
    const inactive = `${INACTIVE}${text}`;
    return children.some((child) => child.text === inactive) ? inactive : null;
  }
  if (platform.rules.form === 'menus') return sameItem(text, children);
  if (opensBlock(parents.at(-1) ?? '', platform.dialect))
    return children.find(({ block }) => block)?.text ?? null;
  place.taken ??= takenPlaces(children, words, platform);
  const opposite = swapped(text, platform);
  if (place.taken.texts.has(opposite)) return opposite;
  const twin = place.placing === 'anywhere' ? sameNumber(text, place) : null;
  if (twin !== null) return twin;
  const key = replacementKey([...words, lineWords(text)], platform);
  const old = key === null ? undefined : place.taken.byKey.get(key);
  return old === undefined ? null : flat(old);
}

/** Returns the entry that has the number of a new one. */
function sameNumber(text: string, place: MatchedSection): string | null {
  const key = entryKey(text);
  if (key === null) return null;
  place.entries ??= new Map(
    place.children.toReversed().map((child) => [entryKey(child.text) ?? '', child.text]),
  );
  const twin = place.entries.get(key);
  return twin === undefined ? null : flat(twin);
}

/** Returns why an entry cannot be added whose number another one has; null when it can, or replaces that one. */
function numberObstacle(
  text: string | null,
  place: MatchedSection,
  platform: CompiledPlatform,
): string | null {
  if (text === null || place.placing === 'anywhere' || platform.rules.commits) return null;
  // Outside of a list, only an entry that names its list is one.
  if (place.placing === 'behind' && !namesList(text)) return null;
  if (sameNumber(text, place) === null) return null;
  return 'another entry of the list has its number, and the list would lack both while that one is replaced';
}

function takenPlaces(
  children: readonly ConfigLine[],
  words: Words,
  platform: CompiledPlatform,
): ReplacedLines {
  const byKey = new Map<string, string>();
  for (const { text } of children) {
    const key = replacementKey([...words, lineWords(text)], platform);
    if (key !== null && !byKey.has(key)) byKey.set(key, text);
  }
  return { texts: new Set(children.map(({ text }) => text)), byKey };
}

/** Returns where a new line belongs: as its rule is ordered, or by its number; at the end where the device appends it. */
function position(
  branch: RuleBranch,
  at: number,
  place: MatchedSection,
  { changes }: SearchState,
): { after?: string | null } {
  const { children, placing, met } = place;
  if (placing === 'last' || (placing === 'behind' && !takesOrder(branch, at))) return {};
  const number = placing === 'anywhere' ? numberOf(branch.rules[at]?.text ?? '') : null;
  if (number !== null) {
    place.numbered ??= numberedEntries(place, changes);
    const index = firstFrom(place.numbered, number);
    const before = place.numbered[index - 1]?.text;
    place.numbered.splice(index, 0, { number, text: branch.rules[at]?.text ?? '' });
    return { after: before === undefined ? null : flat(before) };
  }
  for (let before = at - 1; before >= 0; before--) {
    const rule = branch.rules[before];
    if (!rule || rule.mode === 'ignored' || rule.mode === 'disallowed') continue;
    const line = met[before]?.at(-1);
    if (line) return { after: flat(line.text) };
    if (rule.mode === 'required' && rule.text !== null) return { after: rule.text };
  }
  const later = new Set(met.slice(at + 1).flat());
  const next = children.findIndex((child) => later.has(child));
  if (next === -1) return {};
  return { after: next === 0 ? null : flat(children[next - 1]?.text ?? '') };
}

/**
 * Returns whether a new line comes behind the line of the rule before it: commands often need the lines that configurations
 * show before them, such as `feature`, or `remote-as` of a neighbor. The device, not the commands, decides an order that
 * rules ask for, and entries of lists are appended.
 */
const takesOrder = ({ ordering, rules }: RuleBranch, at: number): boolean =>
  ordering === 'none' && entryKey(rules[at]?.text ?? '') === null && !isEntry(rules[at]?.text ?? '');

/** Returns the entries of a list that have a number, existing and proposed ones, by ascending number. */
function numberedEntries({ children, parents }: MatchedSection, changes: readonly Change[]): NumberedEntry[] {
  const pending = changes.filter((one) => one.new !== null && sameTexts(one.parents, parents));
  const texts = [...children.map(({ text }) => text), ...pending.map((one) => one.new ?? '')];
  return texts
    .flatMap((text) => {
      const number = numberOf(text);
      return number === null ? [] : [{ number, text }];
    })
    .sort((one, other) => one.number - other.number);
}

/** Returns the index of the first entry with this number or a higher one. */
function firstFrom(entries: readonly NumberedEntry[], number: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);

function riskOfAdding(text: string, { placing, children }: SectionLines): string {
  if (children.length === 0) return '';
  if (placing === 'anywhere') return 'the list is rewritten: what it permits changes immediately';
  if (placing === 'last' || isEntry(text)) return 'the line is added after all others of its list';
  return '';
}

function arrange(branch: RuleBranch, place: SectionLines, seeking: SearchState): void {
  const broken = brokenOrder(branch, place.children);
  if (broken.length === 0) return;
  const movable = place.placing === 'anywhere' && broken.every(({ text }) => text !== null);
  const numbered = place.children.some(({ text }) => numberOf(text) !== null);
  if (!movable || numbered) {
    for (const rule of broken) {
      const reason = movable
        ? 'the order of the lines is decided by their numbers'
        : 'the order of these lines is decided by the device';
      decline({ ...rule, severity: branch.severity }, 'ordering', reason, place, seeking);
    }
    return;
  }
  for (const { rule, after } of moves(branch, broken, place.children)) {
    const text = rule.text ?? '';
    propose({ ...rule, severity: branch.severity }, 'ordering', place, seeking, {
      old: text,
      new: text,
      after,
      selected: true,
      risk: 'the list is rewritten: what it permits changes immediately',
    });
  }
}

function propose(
  rule: Rule,
  type: IssueType,
  { parents }: SectionLines,
  { changes, program, seen }: SearchState,
  change: Pick<Change, 'old' | 'new' | 'after' | 'selected' | 'risk'>,
): void {
  const key = JSON.stringify([parents, change.old, change.new]);
  if (seen.has(key)) return;
  seen.add(key);
  changes.push({
    id: `c${changes.length + 1}`,
    parents,
    type,
    severity: rule.severity,
    specId: program.specIds[rule.spec] ?? '',
    lineId: rule.line.id ?? '',
    ...change,
  });
}

function decline(
  rule: Rule,
  type: IssueType,
  reason: string,
  { parents }: SectionLines,
  { manual, program }: SearchState,
): void {
  const spec: Line = rule.line;
  const specId = program.specIds[rule.spec] ?? '';
  manual.push({ reason, spec, specId, parents, type, severity: rule.severity });
}
