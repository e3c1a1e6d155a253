import { type Dict, memberOf, missing } from './values.ts';

/** The names of one scope with their values, and the scope around it; the outermost are the given variables. */
export type Scope = { names: Map<string, unknown>; outer: Scope | null; variables: Dict };

/** Returns the scope of a whole template, with the variables that it is rendered with. */
export const outermost = (variables: Dict): Scope => ({ names: new Map(), outer: null, variables });

/** Returns a scope within another one. @param names values that are set in it from the start */
export const inner = (outer: Scope, names: Iterable<readonly [string, unknown]> = []): Scope => ({
  names: new Map(names),
  outer,
  variables: outer.variables,
});

/** Returns the value of a name, or a `MissingValue`. */
export function lookUp(scope: Scope, name: string): unknown {
  for (let one: Scope | null = scope; one; one = one.outer) {
    if (one.names.has(name)) return one.names.get(name);
  }
  const value = memberOf(scope.variables, name);
  return value === undefined ? missing(name) : value;
}
