import { clipped } from '../text/clipped.ts';
import { applied, type Filter, type FilterCall } from './built-ins/filter.ts';
import { FILTERS, TAKES_MISSING } from './built-ins/filters.ts';
import { FUNCTIONS } from './built-ins/functions.ts';
import { methodOf } from './built-ins/methods.ts';
import { holds } from './built-ins/tests.ts';
import { jinjaError } from './jinja-error.ts';
import { operate } from './operators.ts';
import { itemsOf, numberOf, present, type RenderState, required, show, spend, within } from './run.ts';
import { lookUp, type Scope } from './scope.ts';
import type { Arguments, Expression } from './syntax.ts';
import {
  dictOf,
  isList,
  isMacro,
  isMissing,
  isTrue,
  kindOf,
  memberOf,
  missing,
  nameOf,
  tuple,
} from './values.ts';

/**
 * Returns the value of an expression, or a `MissingValue`.
 *
 * @throws JinjaError
 */
export function evaluate(run: RenderState, scope: Scope, expression: Expression): unknown {
  spend(run, 1, expression.at);
  return within(run, expression.at, () => resultOf(run, scope, expression));
}

/** Returns the value of an expression. @throws JinjaError when it has none, where that is an error */
export const evaluateRequired = (run: RenderState, scope: Scope, expression: Expression): unknown =>
  required(run, evaluate(run, scope, expression), expression.at);

function resultOf(run: RenderState, scope: Scope, expression: Expression): unknown {
  const { at } = expression;
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      return lookUp(scope, expression.name);
    case 'list':
      return expression.items.map((item) => evaluateRequired(run, scope, item));
    case 'tuple':
      return tuple(expression.items.map((item) => evaluateRequired(run, scope, item)));
    case 'dict':
      return dictOf(
        expression.entries.map(([key, value]) => [
          show(run, evaluate(run, scope, key), key.at),
          evaluateRequired(run, scope, value),
        ]),
      );
    case 'member':
      return attributeValue(run, evaluate(run, scope, expression.of), expression.name, at);
    case 'index':
      return attributeValue(
        run,
        evaluate(run, scope, expression.of),
        evaluateRequired(run, scope, expression.key),
        at,
      );
    case 'slice':
      return slice(run, scope, expression);
    case 'call':
      return call(run, scope, expression.of, expression.args, at);
    case 'filter':
      return filtered(run, scope, expression, at);
    case 'test':
      return tested(run, scope, expression) !== expression.negated;
    case 'not':
      return !isTrue(evaluateRequired(run, scope, expression.of));
    case 'sign': {
      const number = numberOf(run, evaluate(run, scope, expression.of), at);
      return expression.minus ? 0 - number : number;
    }
    case 'binary':
      return binary(run, scope, expression);
    case 'choice': {
      if (isTrue(evaluateRequired(run, scope, expression.when))) return evaluate(run, scope, expression.yes);
      if (expression.no) return evaluate(run, scope, expression.no);
      return run.dialect.missing === 'is nothing' ? missing('the value without else') : '';
    }
  }
}

/** Returns an attribute or item of a value; when it or the value is missing, a `MissingValue` with its name or path. */
function attributeValue(run: RenderState, of: unknown, key: unknown, at: number): unknown {
  if (isMissing(of)) {
    // As in Jinja, reading an attribute of a missing value is an error, not another missing value.
    if (run.dialect.missing === 'is nothing') present(run, of, at);
    return missing(`${nameOf(of)}.${String(shown(key))}`);
  }
  const value = memberOf(of, key);
  return value === undefined ? missing(`member ${JSON.stringify(shown(key))} of ${kindOf(of)}`) : value;
}

/** Returns a name as messages show it: its beginning, where it is a long text. */
const shown = (key: unknown): unknown => (typeof key === 'string' ? clipped(key, 500) : key);

function slice(
  run: RenderState,
  scope: Scope,
  { of, from, to, step, at }: Extract<Expression, { kind: 'slice' }>,
): unknown {
  const whole = present(run, evaluate(run, scope, of), of.at);
  const place = (edge: Expression | null) => {
    const value = edge ? evaluate(run, scope, edge) : null;
    return edge && value !== null ? Math.trunc(numberOf(run, value, edge.at)) : undefined;
  };
  if (typeof whole === 'string' || isList(whole)) {
    spend(run, whole.length, at);
    const by = place(step) ?? 1;
    if (by === 0) throw jinjaError(run.text, at, 'a slice needs a step other than 0');
    if (by === 1) return whole.slice(place(from), place(to));
    const picked = stepped([...whole], place(from), place(to), by);
    return typeof whole === 'string' ? picked.join('') : picked;
  }
  throw jinjaError(run.text, at, `${kindOf(whole)} cannot be indexed or sliced`);
}

/** Returns every item at a step other than 1, as Python's slices pick them: backwards for a negative one. */
function stepped<T>(all: readonly T[], from: number | undefined, to: number | undefined, by: number): T[] {
  const { length } = all;
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const within = (edge: number | undefined, absent: number) => {
    if (edge === undefined) return absent;
    return Math.min(Math.max(edge < 0 ? edge + length : edge, lowest), highest);
  };
  const start = within(from, by > 0 ? lowest : highest);
  const end = within(to, by > 0 ? highest : lowest);
  const count = Math.max(0, Math.ceil((end - start) / by));
  return Array.from({ length: count }, (_, place) => all[start + place * by] as T);
}

function binary(
  run: RenderState,
  scope: Scope,
  expression: Extract<Expression, { kind: 'binary' }>,
): unknown {
  const { operator, left, right, at } = expression;
  const first = evaluate(run, scope, left);
  if (operator === 'and' || operator === 'or') {
    const decided = isTrue(required(run, first, left.at)) === (operator === 'or');
    return decided ? first : evaluateRequired(run, scope, right);
  }
  return operate(run, operator, required(run, first, left.at), evaluateRequired(run, scope, right), at);
}

function tested(
  run: RenderState,
  scope: Scope,
  { of, name, args, at }: Extract<Expression, { kind: 'test' }>,
): boolean {
  const value = evaluate(run, scope, of);
  return holds(
    run,
    name,
    value,
    args.listed.map((one) => evaluateRequired(run, scope, one)),
    at,
  );
}

function filtered(
  run: RenderState,
  scope: Scope,
  { of, name, args }: Extract<Expression, { kind: 'filter' }>,
  at: number,
): unknown {
  const filter = FILTERS.get(name);
  if (!filter) throw jinjaError(run.text, at, `unknown filter ${name}`);
  const value = evaluate(run, scope, of);
  if (!TAKES_MISSING.has(name)) required(run, value, of.at);
  return applied(filter, value, filterCallOf(run, scope, args, at));
}

function filterCallOf(run: RenderState, scope: Scope, args: Arguments, at: number): FilterCall {
  const { listed, named } = evaluated(run, scope, args);
  return {
    run,
    at,
    argument: (place, name) => (named.has(name) ? named.get(name) : listed[place]),
    allListed: () => listed,
    allNamed: () => named,
    named: (name): Filter | undefined => FILTERS.get(name),
  };
}

const evaluated = (run: RenderState, scope: Scope, { listed, named }: Arguments) => ({
  listed: listed.map((one) => evaluateRequired(run, scope, one)),
  named: new Map(named.map(([name, one]) => [name, evaluateRequired(run, scope, one)])),
});

function call(run: RenderState, scope: Scope, of: Expression, args: Arguments, at: number): unknown {
  const { listed, named } = evaluated(run, scope, args);
  if (of.kind === 'member') {
    const whole = evaluateRequired(run, scope, of.of);
    const method = methodOf(whole, of.name);
    if (method) return method({ listed, named, run, at });
  }
  const called = evaluate(run, scope, of);
  if (isMacro(called)) return called.run(listed, named);
  const own = of.kind === 'name' && isMissing(called) ? FUNCTIONS.get(of.name) : undefined;
  if (own) return own({ listed, named, run, at });
  present(run, called, of.at);
  throw jinjaError(run.text, at, `${kindOf(called)} cannot be called`);
}

/**
 * Returns the items that a loop iterates over.
 *
 * @throws JinjaError when it cannot be evaluated, or has no items
 */
export const loopItems = (run: RenderState, scope: Scope, over: Expression): unknown[] =>
  itemsOf(run, evaluate(run, scope, over), over.at);
