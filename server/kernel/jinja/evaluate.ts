import type { Filter, FilterCall } from './filters/filter.ts';
import { FILTERS, TAKES_MISSING } from './filters/filters.ts';
import { methodOf } from './filters/methods.ts';
import { holds } from './filters/tests.ts';
import { jinjaError } from './jinja-error.ts';
import { operate } from './operators.ts';
import { itemsOf, numberOf, type RenderState, required, show, spend, within } from './run.ts';
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
  namespace,
} from './values.ts';

/**
 * Returns the value of an expression, or a `MissingValue`, which only `default` and `is defined` accept.
 *
 * @throws JinjaError
 */
export function evaluate(run: RenderState, scope: Scope, expression: Expression): unknown {
  spend(run, 1, expression.at);
  return within(run, expression.at, () => resultOf(run, scope, expression));
}

/** Returns the value of an expression. @throws JinjaError when it has none */
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
    case 'dict':
      return dictOf(
        expression.entries.map(([key, value]) => [
          show(run, evaluate(run, scope, key), key.at),
          evaluateRequired(run, scope, value),
        ]),
      );
    case 'member':
      return attributeValue(evaluate(run, scope, expression.of), expression.name);
    case 'index':
      return attributeValue(
        evaluate(run, scope, expression.of),
        evaluateRequired(run, scope, expression.key),
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
      return expression.no ? evaluate(run, scope, expression.no) : '';
    }
  }
}

/** Returns an attribute or item of a value; when it or the value is missing, a `MissingValue` with its name or path. */
function attributeValue(of: unknown, key: unknown): unknown {
  if (isMissing(of)) return missing(`${nameOf(of)}.${String(key)}`);
  const value = memberOf(of, key);
  return value === undefined ? missing(`member ${JSON.stringify(key)} of ${kindOf(of)}`) : value;
}

function slice(
  run: RenderState,
  scope: Scope,
  { of, from, to, at }: Extract<Expression, { kind: 'slice' }>,
): unknown {
  const whole = evaluateRequired(run, scope, of);
  const place = (edge: Expression | null) =>
    edge ? numberOf(run, evaluate(run, scope, edge), edge.at) : undefined;
  if (typeof whole === 'string' || isList(whole)) {
    spend(run, whole.length, at);
    return whole.slice(place(from), place(to));
  }
  throw jinjaError(run.text, at, `${kindOf(whole)} cannot be indexed or sliced`);
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
  return filter(value, filterCallOf(run, scope, args, at));
}

function filterCallOf(run: RenderState, scope: Scope, args: Arguments, at: number): FilterCall {
  const { listed, named } = evaluated(run, scope, args);
  return {
    run,
    at,
    argument: (place, name) => (named.has(name) ? named.get(name) : listed[place]),
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
    if (method) return method(listed, run, at);
  }
  const called = evaluate(run, scope, of);
  if (isMacro(called)) return called.run(listed, named);
  if (of.kind === 'name' && isMissing(called)) {
    if (of.name === 'range') return range(run, listed, at);
    if (of.name === 'namespace') return namespace(named);
    if (of.name === 'dict') return dictOf(named);
  }
  required(run, called, of.at);
  throw jinjaError(run.text, at, `${kindOf(called)} cannot be called`);
}

function range(run: RenderState, args: readonly unknown[], at: number): number[] {
  const [first = 0, second, step = 1] = args.map((one) => Math.trunc(numberOf(run, one, at)));
  const [from, to] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw jinjaError(run.text, at, 'range needs a step other than 0');
  const length = Math.max(0, Math.ceil((to - from) / step));
  spend(run, length, at);
  return Array.from({ length }, (_, place) => from + place * step);
}

/**
 * Returns the items that a loop iterates over.
 *
 * @throws JinjaError when it cannot be evaluated, or has no items
 */
export const loopItems = (run: RenderState, scope: Scope, over: Expression): unknown[] =>
  itemsOf(run, evaluate(run, scope, over), over.at);
