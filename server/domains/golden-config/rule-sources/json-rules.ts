import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import { compilePattern, PatternError } from '#server/kernel/documents/list-filter.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { readJson } from '../dialects/json.ts';
import { holdsLines, type Identities, memberOf, unquoted, withItems } from '../dialects/json-items.ts';
import type { ConfigLine } from '../parsing/config-line.ts';
import { DEEPEST, MOST_EXPRESSIONS } from '../rules/limits.ts';
import type { Mode, Severity } from '../rules/program.ts';
import { checkedSteps, type RuleSet } from '../rules/rule-set.ts';
import { wordsKey } from '../rules/words.ts';
import { ANY, type JsonPathStep, leadsTo, names } from './json-path.ts';
import type { LineIds } from './line-ids.ts';

/** A message about the rules of a JSON template, with its line, from 1; messages about the rule set itself have line 1. */
export type JsonNote = { line: number; message: string };

export type JsonRules = { lines: Line[]; issues: JsonNote[]; warnings: JsonNote[] };

type Marked<Value> = { steps: JsonPathStep[]; value: Value; used: boolean; path: string };
type JsonRuleState = {
  modes: Marked<Mode>[];
  severities: Marked<Severity>[];
  dynamic: Marked<true>[];
  ids: LineIds;
  issues: JsonNote[];
  expressions: Set<string>;
  /** Rules of objects and arrays, by their paths. */
  sections: { steps: JsonPathStep[]; line: Line }[];
};

/** An expression for any property name. */
const ANY_NAME = '"(?:[^"\\\\]|\\\\.)*"';

/**
 * Returns the rules of a JSON template and its rule set: a line per property, with array items identified by `withItems`. A
 * severity also applies below its path, unless a longer path sets another; a mode applies to its own path only.
 *
 * @param text the rendered template
 */
export function jsonRules(text: string, ruleSet: RuleSet, identities: Identities, ids: LineIds): JsonRules {
  const parsed = readJson(text);
  const reading: JsonRuleState = {
    modes: marksOf(ruleSet.evalMode, ['required', 'optional', 'ignored', 'disallowed']),
    severities: marksOf(ruleSet.severity, ['info', 'warning', 'error']),
    dynamic: (ruleSet.dynamicKeys ?? []).map((path) => ({
      steps: checkedSteps(path),
      value: true,
      used: false,
      path,
    })),
    ids,
    issues: parsed.warnings.map(({ line, reason }) => ({ line, message: reason })),
    expressions: new Set(),
    sections: [],
  };
  if (reading.issues.length === 0 && !isJson(text)) {
    reading.issues.push({ line: 1, message: 'a template with a rule set must be JSON' });
  }
  if (reading.issues.length > 0) return { lines: [], issues: reading.issues, warnings: [] };
  const inArray = parsed.lines[0]?.end === ']';
  const roots = withItems(parsed, identities).lines;
  const lines: Line[] = [];
  reading.sections.push({ steps: [], line: { words: [], lines } });
  readLines(roots, lines, { steps: [], above: '', inArray, depth: 1 }, reading);
  if (reading.issues.length > 0) return { lines: [], issues: reading.issues, warnings: [] };
  addKeys(ruleSet, reading);
  const warnings: JsonNote[] = [];
  for (const { used, path } of [...reading.modes, ...reading.severities, ...reading.dynamic]) {
    if (!used)
      warnings.push({ line: 1, message: `the rule set names ${path}, which the template does not have` });
  }
  return { lines, issues: reading.issues, warnings };
}

const isJson = (text: string): boolean => {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

function marksOf<Value extends string>(
  lists: Partial<Record<Value, string[] | undefined>> | undefined,
  values: readonly Value[],
): Marked<Value>[] {
  return values.flatMap((value) =>
    (lists?.[value] ?? []).map((path) => ({ steps: checkedSteps(path), value, used: false, path })),
  );
}

/** Compiles each expression once; reports one that RE2 rejects at the line that holds it. */
function checkExpression(value: string, line: number, { expressions, issues }: JsonRuleState): void {
  if (expressions.has(value)) return;
  expressions.add(value);
  if (expressions.size === MOST_EXPRESSIONS + 1) {
    issues.push({ line, message: `more than ${MOST_EXPRESSIONS} expressions` });
  }
  if (expressions.size > MOST_EXPRESSIONS) return;
  try {
    compilePattern(value);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    issues.push({ line, message: error.message });
  }
}

type OuterRule = { steps: readonly JsonPathStep[]; above: string; inArray: boolean; depth: number };

/** Adds the rules of `nodes`; the nesting limit of rules bounds the recursion. */
function readLines(
  nodes: readonly ConfigLine[],
  into: Line[],
  place: OuterRule,
  reading: JsonRuleState,
): void {
  for (const [at, node] of nodes.entries()) {
    const field = place.inArray ? undefined : memberOf(node);
    const steps = [...place.steps, place.inArray ? at : (field?.name ?? node.text)];
    if (place.depth > DEEPEST) {
      reading.issues.push({ line: node.line, message: `fields are nested more than ${DEEPEST} levels deep` });
      return;
    }
    const anyName = reading.dynamic.filter((one) => names(one.steps, place.steps));
    for (const one of anyName) one.used = true;
    const words = wordsOf(node, field, anyName.length > 0 && !place.inArray);
    for (const { type, value } of words) if (type === 'regex') checkExpression(value, node.line, reading);
    const line = ruleOf(words, place.above, steps, reading);
    into.push(line);
    if (!holdsLines(node)) continue;
    reading.sections.push({ steps, line });
    const below = { steps, above: line.id ?? '', inArray: node.end === ']', depth: place.depth + 1 };
    readLines(node.children, line.lines ?? [], below, reading);
  }
}

function ruleOf(words: Word[], above: string, steps: readonly JsonPathStep[], reading: JsonRuleState): Line {
  return {
    id: reading.ids(`${above}\n${wordsKey(words)}`),
    words,
    lines: [],
    evalMode: last(reading.modes, (path) => names(path, steps)) ?? 'required',
    fixMode: 'manual',
    severity: last(reading.severities, (path) => leadsTo(path, steps)) ?? 'warning',
    ordering: 'none',
    membership: 'default',
  };
}

/** Returns the value for a path: that of the longest matching path, and of several the last. */
function last<Value>(
  all: Marked<Value>[],
  holds: (steps: readonly JsonPathStep[]) => boolean,
): Value | undefined {
  let found: Marked<Value> | undefined;
  for (const one of all) {
    if (!holds(one.steps)) continue;
    one.used = true;
    if (!found || one.steps.length >= found.steps.length) found = one;
  }
  return found?.value;
}

function wordsOf(node: ConfigLine, field: ReturnType<typeof memberOf>, anyName: boolean): Word[] {
  if (!field) return [valueWord(node.text)];
  const name: Word = anyName
    ? { type: 'regex', value: ANY_NAME }
    : { type: 'literal', value: JSON.stringify(field.name) };
  return field.value === undefined ? [name] : [name, valueWord(field.value)];
}

/** Returns a value as a word. It may be an expression, as `"{/sg-.+/}"`, also in the property that identifies an item. */
function valueWord(source: string): Word {
  const item = /^\[("(?:[^"\\]|\\.)*") (.+)\]$/s.exec(source);
  const [, name = '', inner = ''] = item ?? [];
  const text = unquoted(item ? inner : source);
  const expression = /^\{\/(.*)\/\}$/s.exec(text.trim())?.[1]?.trim();
  if (expression === undefined) return { type: 'literal', value: source };
  const value = `"(?:${expression})"`;
  return { type: 'regex', value: item ? `\\[${literalExpression(name)} ${value}\\]` : value };
}

/** Adds rules for properties of any value, below the template's objects; objects that it lacks are added as optional. */
function addKeys({ keysExist = [] }: RuleSet, reading: JsonRuleState): void {
  for (const { path, severity, required = [], disallowed = [], ignored = [] } of keysExist) {
    const steps = checkedSteps(path);
    let sections = reading.sections.filter((one) => names(steps, one.steps));
    if (sections.length === 0) sections = [addSection(steps, reading)];
    for (const { line, steps: at } of sections) {
      const keys: [Mode, string[]][] = [
        ['required', required],
        ['disallowed', disallowed],
        ['ignored', ignored],
      ];
      for (const [mode, names] of keys) {
        for (const name of names) {
          const words: Word[] = [
            { type: 'regex', value: `${literalExpression(JSON.stringify(name))}(?: .*)?` },
          ];
          const rule = ruleOf(words, line.id ?? '', [...at, name], reading);
          line.lines?.push({ ...rule, evalMode: mode, severity: severity ?? rule.severity ?? 'warning' });
        }
      }
    }
  }
}

/** Adds the path to an object that the template lacks; its lines are optional. */
function addSection(
  steps: readonly JsonPathStep[],
  reading: JsonRuleState,
): JsonRuleState['sections'][number] {
  let from = reading.sections[0];
  for (const depth of steps.keys()) {
    const upTo = steps.slice(0, depth + 1);
    const known = reading.sections.find((one) => names(upTo, one.steps));
    if (known || !from) {
      from = known;
      continue;
    }
    const step = upTo.at(-1);
    const words: Word[] = [
      typeof step === 'string'
        ? { type: 'literal', value: JSON.stringify(step) }
        : { type: 'regex', value: step === ANY ? '.+' : `\\[${step ?? ''}\\]` },
    ];
    const line: Line = { ...ruleOf(words, from.line.id ?? '', upTo, reading), evalMode: 'optional' };
    from.line.lines?.push(line);
    from = { steps: upTo, line };
    reading.sections.push(from);
  }
  return from ?? { steps: [], line: { words: [], lines: [] } };
}
