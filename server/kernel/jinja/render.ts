import { evaluate, evaluateRequired, loopItems } from './evaluate.ts';
import { jinjaError, type Position, positionAt } from './jinja-error.ts';
import {
  assertRoom,
  LIMITS,
  type RenderLimits,
  type RenderState,
  show,
  spend,
  spendText,
  within,
} from './run.ts';
import { inner, outermost, type Scope } from './scope.ts';
import type { Program, Statement } from './syntax.ts';
import { type Dict, dictOf, isList, isNamespace, isTrue, kindOf, macro, namespaceFields } from './values.ts';

/**
 * The source map of a rendered text, piece by piece: `at` holds the offsets of the pieces in the result, ascending,
 * `from` their offsets in the template, `verbatim` whether the piece was copied unchanged from there.
 */
export type Origins = { at: number[]; from: number[]; verbatim: boolean[] };

/** A rendered text, its source map, and the number of steps used. */
export type Rendered = { text: string; origins: Origins; steps: number };

/** The text being built; the output of macros and captures has no origins of its own. */
type Sink = { parts: string[]; length: number; origins: Origins | null };

/**
 * Renders a template.
 *
 * @param limits the resources that the rendering may use; by default about a second and 1 MiB
 * @throws JinjaError with line and column, and with the name of a variable that has no value
 */
export function render(program: Program, variables: Dict, limits: RenderLimits = LIMITS): Rendered {
  const run: RenderState = { text: program.text, limits, steps: 0, depth: 0 };
  const origins: Origins = { at: [], from: [], verbatim: [] };
  const sink: Sink = { parts: [], length: 0, origins };
  runAll(run, outermost(variables), sink, program.body);
  return { text: sink.parts.join(''), origins, steps: run.steps };
}

/** Returns the position in the template from which the character at `offset` of a rendered text comes. */
export function originOf({ text }: Program, { at, from, verbatim }: Origins, offset: number): Position {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const piece = Math.max(0, low - 1);
  const inside = verbatim[piece] === true ? offset - (at[piece] ?? 0) : 0;
  return positionAt(text, (from[piece] ?? 0) + inside);
}

function write(run: RenderState, sink: Sink, text: string, at: number, verbatim: boolean): void {
  if (text === '') return;
  spendText(run, text.length, at);
  assertRoom(run, sink.length + text.length, at);
  sink.origins?.at.push(sink.length);
  sink.origins?.from.push(at);
  sink.origins?.verbatim.push(verbatim);
  sink.parts.push(text);
  sink.length += text.length;
}

function runAll(run: RenderState, scope: Scope, sink: Sink, body: readonly Statement[]): void {
  for (const statement of body) {
    spend(run, 1, statement.at);
    within(run, statement.at, () => runOne(run, scope, sink, statement));
  }
}

function runOne(run: RenderState, scope: Scope, sink: Sink, statement: Statement): void {
  const { at } = statement;
  if (statement.kind === 'text') write(run, sink, run.text.slice(statement.from, statement.to), at, true);
  else if (statement.kind === 'output') {
    write(run, sink, show(run, evaluate(run, scope, statement.value), statement.value.at), at, false);
  } else if (statement.kind === 'if') {
    const branch = statement.branches.find(({ when }) => !when || isTrue(evaluateRequired(run, scope, when)));
    if (branch) runAll(run, scope, sink, branch.body);
  } else if (statement.kind === 'for') runFor(run, scope, sink, statement);
  else if (statement.kind === 'set') assign(run, scope, statement);
  else if (statement.kind === 'capture') {
    scope.names.set(statement.name, captured(run, inner(scope), statement.body));
  } else defineMacro(run, scope, statement);
}

function captured(run: RenderState, scope: Scope, body: readonly Statement[]): string {
  const sink: Sink = { parts: [], length: 0, origins: null };
  runAll(run, scope, sink, body);
  return sink.parts.join('');
}

function assign(
  run: RenderState,
  scope: Scope,
  { target, value, at }: Extract<Statement, { kind: 'set' }>,
): void {
  const result = evaluateRequired(run, scope, value);
  if (target.member === null) {
    scope.names.set(target.name, result);
    return;
  }
  const whole = evaluateRequired(run, scope, { kind: 'name', name: target.name, at });
  if (!isNamespace(whole))
    throw jinjaError(run.text, at, `${target.name} is ${kindOf(whole)}, not a namespace`);
  namespaceFields(whole).set(target.member, result);
}

function runFor(
  run: RenderState,
  scope: Scope,
  sink: Sink,
  statement: Extract<Statement, { kind: 'for' }>,
): void {
  const { targets, over, filter, body, otherwise, at } = statement;
  const bindings = (item: unknown): [string, unknown][] => bind(run, targets, item, at);
  const all = loopItems(run, scope, over);
  const items = filter
    ? all.filter((one) => isTrue(evaluateRequired(run, inner(scope, bindings(one)), filter)))
    : all;
  if (items.length === 0) runAll(run, inner(scope), sink, otherwise);
  for (const [index0, item] of items.entries()) {
    spend(run, ROUND, at);
    const loop = dictOf([
      ['index', index0 + 1],
      ['index0', index0],
      ['revindex', items.length - index0],
      ['revindex0', items.length - index0 - 1],
      ['first', index0 === 0],
      ['last', index0 === items.length - 1],
      ['length', items.length],
    ]);
    runAll(run, inner(scope, [...bindings(item), ['loop', loop]]), sink, body);
  }
}

/** Steps that each iteration of a loop costs in addition to its body: for its names. */
const ROUND = 5;

/** Binds an item to the loop's name, or its parts to several names. */
function bind(run: RenderState, targets: readonly string[], item: unknown, at: number): [string, unknown][] {
  const [only] = targets;
  if (targets.length === 1 && only !== undefined) return [[only, item]];
  if (!isList(item) || item.length !== targets.length) {
    throw jinjaError(run.text, at, `each item must be a list of ${targets.length}`);
  }
  return targets.map((name, place) => [name, item[place]]);
}

function defineMacro(run: RenderState, scope: Scope, statement: Extract<Statement, { kind: 'macro' }>): void {
  const { name, parameters, body, at } = statement;
  const call = (listed: unknown[], named: Map<string, unknown>): string => {
    if (listed.length > parameters.length)
      throw jinjaError(run.text, at, `${name} takes ${parameters.length} arguments`);
    const values = inner(scope);
    for (const [place, { name: parameter, fallback }] of parameters.entries()) {
      const value = named.has(parameter) ? named.get(parameter) : listed[place];
      if (value !== undefined) values.names.set(parameter, value);
      else if (fallback) values.names.set(parameter, evaluateRequired(run, values, fallback));
      else throw jinjaError(run.text, at, `${name} needs ${parameter}`, parameter);
    }
    return captured(run, values, body);
  };
  scope.names.set(name, macro(name, call));
}
