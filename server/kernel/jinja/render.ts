import { type Dialect, RULES } from './dialect.ts';
import { evaluate, evaluateRequired, loopItems } from './evaluate.ts';
import { jinjaError, type Position, positionAt } from './jinja-error.ts';
import { loopOf } from './loop.ts';
import {
  assertRoom,
  LIMITS,
  type RenderLimits,
  type RenderState,
  show,
  spend,
  spendText,
  tollOf,
  within,
} from './run.ts';
import { inner, outermost, type Scope } from './scope.ts';
import {
  BODY,
  type BodyFilter,
  type MacroParts,
  type Program,
  type Statement,
  type Target,
} from './syntax.ts';
import {
  copyOf,
  type Dict,
  dictOf,
  isList,
  isMacro,
  isNamespace,
  isTrue,
  kindOf,
  type Macro,
  macro,
  missing,
  namespaceFields,
} from './values.ts';

/**
 * The source map of a rendered text, piece by piece: `at` holds the offsets of the pieces in the result, ascending,
 * `from` their offsets in the template, `verbatim` whether the piece was copied unchanged from there.
 */
export type Origins = { at: number[]; from: number[]; verbatim: boolean[] };

/** A rendered text, its source map, and the number of steps used. */
export type Rendered = { text: string; origins: Origins; steps: number };

/** The text being built; the output of macros and captures has no origins of its own. */
type Sink = { parts: string[]; length: number; origins: Origins | null };

/** What ends a round of a loop early. */
type Jump = 'break' | 'continue';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/**
 * Renders a template.
 *
 * @param variables values by name; they are not changed
 * @param limits the resources that the rendering may use; by default about a second and 1 MiB
 * @param dialect what is printed, and what a variable without a value is
 * @throws JinjaError with line and column, and with the name of a variable that has no value
 */
export function render(
  program: Program,
  variables: Dict,
  limits: RenderLimits = LIMITS,
  dialect: Dialect = RULES,
): Rendered {
  const run: RenderState = { text: program.text, dialect, limits, steps: 0, depth: 0 };
  const origins: Origins = { at: [], from: [], verbatim: [] };
  const sink: Sink = { parts: [], length: 0, origins };
  const own = program.mutates ? (copyOf(variables, tollOf(run, 0)) as Dict) : variables;
  runAll(run, outermost(own), sink, program.body);
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

function runAll(run: RenderState, scope: Scope, sink: Sink, body: readonly Statement[]): Jump | undefined {
  for (const statement of body) {
    spend(run, 1, statement.at);
    const jump = within(run, statement.at, () => runOne(run, scope, sink, statement));
    if (jump) return jump;
  }
  return undefined;
}

function runOne(run: RenderState, scope: Scope, sink: Sink, statement: Statement): Jump | undefined {
  const { at } = statement;
  switch (statement.kind) {
    case 'text':
      write(run, sink, run.text.slice(statement.from, statement.to), at, true);
      return undefined;
    case 'output':
      write(run, sink, show(run, evaluate(run, scope, statement.value), statement.value.at), at, false);
      return undefined;
    case 'if': {
      const branch = statement.branches.find(
        ({ when }) => !when || isTrue(evaluateRequired(run, scope, when)),
      );
      return branch && runAll(run, scope, sink, branch.body);
    }
    case 'for':
      runFor(run, scope, sink, statement);
      return undefined;
    case 'break':
    case 'continue':
      return statement.kind;
    case 'set':
      for (const [name, value] of bind(
        run,
        statement.target,
        evaluateRequired(run, scope, statement.value),
        at,
      ))
        scope.names.set(name, value);
      return undefined;
    case 'set member':
      setMember(run, scope, statement);
      return undefined;
    case 'capture':
      scope.names.set(statement.name, filteredBody(run, scope, statement.filter, statement.body));
      return undefined;
    case 'filter':
      write(run, sink, show(run, filteredBody(run, scope, statement.filter, statement.body), at), at, false);
      return undefined;
    case 'with': {
      const values = statement.values.map(
        ([name, value]) => [name, evaluateRequired(run, scope, value)] as const,
      );
      return runAll(run, inner(scope, values), sink, statement.body);
    }
    case 'block':
      return runAll(run, inner(scope), sink, statement.body);
    case 'do':
      evaluateRequired(run, scope, statement.value);
      return undefined;
    case 'macro':
      scope.names.set(statement.name, macroOf(run, scope, statement.name, statement, at));
      return undefined;
    case 'call':
      write(run, sink, show(run, callWithBody(run, scope, statement), at), at, false);
      return undefined;
  }
}

function captured(run: RenderState, scope: Scope, body: readonly Statement[]): string {
  const sink: Sink = { parts: [], length: 0, origins: null };
  runAll(run, scope, sink, body);
  return sink.parts.join('');
}

function filteredBody(
  run: RenderState,
  scope: Scope,
  filter: BodyFilter | null,
  body: readonly Statement[],
): unknown {
  const text = captured(run, inner(scope), body);
  return filter ? evaluate(run, inner(scope, [[BODY, text]]), filter) : text;
}

function setMember(run: RenderState, scope: Scope, { name, member, value, at }: Of<'set member'>): void {
  const result = evaluateRequired(run, scope, value);
  const whole = evaluateRequired(run, scope, { kind: 'name', name, at });
  if (!isNamespace(whole)) throw jinjaError(run.text, at, `${name} is ${kindOf(whole)}, not a namespace`);
  namespaceFields(whole).set(member, result);
}

function runFor(run: RenderState, scope: Scope, sink: Sink, statement: Of<'for'>): void {
  runRounds(run, scope, sink, statement, loopItems(run, scope, statement.over), 1);
}

/** @param depth of a recursive loop: 1 for the outermost */
function runRounds(
  run: RenderState,
  scope: Scope,
  sink: Sink,
  statement: Of<'for'>,
  all: readonly unknown[],
  depth: number,
): void {
  const { target, filter, body, otherwise, recursive, at } = statement;
  const items = filter
    ? all.filter((one) => isTrue(evaluateRequired(run, inner(scope, bind(run, target, one, at)), filter)))
    : all;
  if (items.length === 0) runAll(run, inner(scope), sink, otherwise);
  const again = (inside: unknown[]): string => {
    const text: Sink = { parts: [], length: 0, origins: null };
    within(run, at, () => runRounds(run, scope, text, statement, inside, depth + 1));
    return text.parts.join('');
  };
  const { loop, move } = loopOf(run, items, depth, recursive ? again : null, at);
  for (const [index0, item] of items.entries()) {
    spend(run, ROUND, at);
    move(index0);
    const names: [string, unknown][] = [...bind(run, target, item, at), ['loop', loop]];
    if (runAll(run, inner(scope, names), sink, body) === 'break') return;
  }
}

/** Steps that each iteration of a loop costs in addition to its body: for its names. */
const ROUND = 5;

/** Binds a value to a name, or its items to several names. */
function bind(run: RenderState, target: Target, value: unknown, at: number): [string, unknown][] {
  if (typeof target === 'string') return [[target, value]];
  if (!isList(value) || value.length !== target.length) {
    throw jinjaError(run.text, at, `each item must be a list of ${target.length}`);
  }
  return target.flatMap((one, place) => bind(run, one, value[place], at));
}

/** Returns the value that runs a body with arguments: a macro, or the `caller` of one. */
function macroOf(
  run: RenderState,
  scope: Scope,
  name: string,
  { parameters, body, takesMore }: MacroParts,
  at: number,
): Macro {
  const call = (listed: unknown[], named: Map<string, unknown>): string => {
    if (listed.length > parameters.length && !takesMore.listed)
      throw jinjaError(run.text, at, `${name} takes ${parameters.length} arguments`);
    const values = inner(scope);
    for (const [place, { name: parameter, fallback }] of parameters.entries()) {
      const value = named.has(parameter) ? named.get(parameter) : listed[place];
      if (value !== undefined) values.names.set(parameter, value);
      else if (fallback) values.names.set(parameter, evaluateRequired(run, values, fallback));
      else if (run.dialect.missing === 'is nothing') values.names.set(parameter, missing(parameter));
      else throw jinjaError(run.text, at, `${name} needs ${parameter}`, parameter);
    }
    const taken = new Set(['caller', ...parameters.map((one) => one.name)]);
    values.names.set('caller', named.get('caller') ?? missing('caller'));
    values.names.set('varargs', listed.slice(parameters.length));
    values.names.set('kwargs', dictOf([...named].filter(([key]) => !taken.has(key))));
    return captured(run, values, body);
  };
  return macro(name, call, dictOf([['name', name]]));
}

/** Runs the call of a macro, which may call the body. */
function callWithBody(run: RenderState, scope: Scope, statement: Of<'call'>): unknown {
  const { call, at } = statement;
  const called = evaluateRequired(run, scope, call.of);
  if (!isMacro(called)) throw jinjaError(run.text, at, `${kindOf(called)} is no macro, which call needs`);
  const caller = macroOf(run, scope, 'caller', statement, at);
  const listed = call.args.listed.map((one) => evaluateRequired(run, scope, one));
  const named = call.args.named.map(([name, one]) => [name, evaluateRequired(run, scope, one)] as const);
  return called.run(listed, new Map<string, unknown>([...named, ['caller', caller]]));
}
