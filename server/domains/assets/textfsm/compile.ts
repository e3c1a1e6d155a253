import { BOUNDS } from './bounds.ts';
import { isRule, LINE_ACTIONS, RECORD_ACTIONS, readRule } from './rules.ts';
import {
  type LineIssue,
  type TextFsm,
  type TextFsmRule,
  TextFsmTemplateError,
  type Value,
} from './template.ts';
import { readValue } from './values.ts';

/** The state of a compilation. */
type CompileState = {
  lines: readonly string[];
  values: Map<string, Value | null>;
  states: Map<string, TextFsmRule[]>;
  /** The line on which each state begins, for messages. */
  places: Map<string, number>;
  issues: LineIssue[];
};

const isComment = (line: string) => /^\s*#/.test(line);

/**
 * Compiles a TextFSM template: Values, a blank line, then states of rules with `Start` among them
 * (contract/lifecycle#5.4).
 *
 * @throws TextFsmTemplateError with every issue and its line
 */
export function compileTextFsm(text: string): TextFsm {
  if (text.length > BOUNDS.text) {
    throw new TextFsmTemplateError([{ line: 1, message: `longer than ${BOUNDS.text} characters` }]);
  }
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  const reading: CompileState = {
    lines,
    values: new Map(),
    states: new Map(),
    places: new Map(),
    issues: [],
  };
  const rest = readValues(reading);
  if (rest === null)
    throw new TextFsmTemplateError([{ line: 1, message: 'a template begins with its Values' }]);
  readStates(reading, rest);
  checkStates(reading);
  if (reading.issues.length > 0) {
    throw new TextFsmTemplateError(reading.issues.sort((a, b) => a.line - b.line).slice(0, MOST_ISSUES));
  }
  const { values, states } = reading;
  states.delete('End');
  return { values: [...values.values()].filter((value) => value !== null), states };
}

/** Maximum number of issues in one error. */
const MOST_ISSUES = 100;

/** Parses the Value lines. @returns the index of the line after them; null when there are none */
function readValues({ lines, values, issues }: CompileState): number | null {
  let found = false;
  for (const [at, line] of lines.entries()) {
    if (line === '' && found) return at;
    if (line === '' || isComment(line)) continue;
    if (!line.startsWith('Value ')) {
      if (!found) return null;
      issues.push({ line: at + 1, message: 'expected a Value, or a blank line after the last one' });
      return at;
    }
    found = true;
    const issue = addValue(values, line);
    if (issue) issues.push({ line: at + 1, message: issue });
  }
  return found ? lines.length : null;
}

function addValue(values: Map<string, Value | null>, line: string): string | null {
  if (line.length > BOUNDS.lineLength) return TOO_LONG;
  if (values.size >= BOUNDS.values) return `more than ${BOUNDS.values} Values`;
  const value = readValue(line);
  if (typeof value === 'string') {
    const name = /(\w+)\s+\(/.exec(line)?.[1];
    if (name !== undefined) values.set(name, null);
    return value;
  }
  if (values.has(value.name)) return `the Value ${value.name} is defined twice`;
  values.set(value.name, value);
  return null;
}

const TOO_LONG = `longer than ${BOUNDS.lineLength} characters`;

function readStates(state: CompileState, from: number): void {
  const { lines, issues } = state;
  const size = { rules: 0, steps: 0 };
  let rules: TextFsmRule[] | null = null;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (isComment(line)) continue;
    let issue: string | null = null;
    if (line === '') rules = null;
    else if (line.length > BOUNDS.lineLength) issue = TOO_LONG;
    else if (rules) issue = addRule(state, rules, at, size);
    else {
      rules = [];
      issue = addState(state, rules, at);
    }
    if (issue) issues.push({ line: at + 1, message: issue });
    if (size.rules > BOUNDS.rules || size.steps > BOUNDS.allSteps) {
      issues.push({ line: at + 1, message: 'the template has too many rules, or rules that are too large' });
      return;
    }
  }
}

/** Begins a state with the rules that follow its name. @returns the issue of the name; null when it is valid */
function addState({ lines, states, places }: CompileState, rules: TextFsmRule[], at: number): string | null {
  const name = lines[at] ?? '';
  const issue = stateIssue(name, states);
  if (!issue) places.set(name, at + 1);
  if (!states.has(name)) states.set(name, rules);
  return issue;
}

/** Adds a rule to its state, and to the size of all. @returns the issue of its line; null when it has none of its own */
function addRule(
  { lines, values }: CompileState,
  rules: TextFsmRule[],
  at: number,
  size: { rules: number; steps: number },
): string | null {
  const line = lines[at] ?? '';
  if (!isRule(line)) return 'a rule begins with one or two spaces or a tab, then ^';
  size.rules += 1;
  const rule = readRule(line, values, at + 1);
  if (rule === null || typeof rule === 'string') return rule;
  rules.push(rule);
  size.steps += rule.expression.steps;
  return null;
}

function stateIssue(name: string, states: ReadonlyMap<string, unknown>): string | null {
  if (!/^\w+$/.test(name)) return `${name} cannot be the name of a state: letters, digits and _ only`;
  if (name.length > BOUNDS.name) return `the name of a state is longer than ${BOUNDS.name} characters`;
  if (LINE_ACTIONS.includes(name) || RECORD_ACTIONS.includes(name))
    return `${name} is an action, not a state`;
  return states.has(name) ? `the state ${name} is defined twice` : null;
}

/** States that need no rules: parsing ends there. */
const ENDS = ['End', 'EOF'];

function checkStates({ lines, states, places, issues }: CompileState): void {
  if (!states.has('Start')) issues.push({ line: lines.length, message: 'the state Start does not exist' });
  if ((states.get('End')?.length ?? 0) > 0) {
    issues.push({ line: places.get('End') ?? 1, message: 'the state End cannot have rules' });
  }
  for (const { next, line } of [...states.values()].flat()) {
    if (next === null || states.has(next) || ENDS.includes(next)) continue;
    issues.push({ line, message: `the state ${next} does not exist` });
  }
}
