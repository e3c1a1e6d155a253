import { numberOf, type RenderState, spendReading, textOf } from '../run.ts';

/** The arguments of a filter, by position or name, and the rendering that calls it. */
export type FilterCall = {
  run: RenderState;
  at: number;
  /** Returns an argument; undefined when it was not passed. */
  argument: (place: number, name: string) => unknown;
  /** Returns all arguments by position. */
  allListed: () => readonly unknown[];
  /** Returns all arguments by name. */
  allNamed: () => ReadonlyMap<string, unknown>;
  /** Returns another filter, for filters that apply one to each item. */
  named: (name: string) => Filter | undefined;
};

/** A pure function of a value. */
export type Filter = (value: unknown, given: FilterCall) => unknown;

/**
 * Applies a filter to a value. The texts that it is given are counted first.
 *
 * @param filter that is applied
 * @param value before the filter
 * @param given the arguments of the filter
 * @returns the value behind the filter
 * @throws JinjaError when the filter does not accept them, and when the limit of work is reached
 */
export function applied(filter: Filter, value: unknown, given: FilterCall): unknown {
  spendReading(given.run, [value, ...given.allListed(), ...given.allNamed().values()], given.at);
  return filter(value, given);
}

/**
 * Returns an argument as text, or `absent` when it was not passed.
 *
 * @param place its position among the arguments, from 0
 * @throws JinjaError for other types
 */
export const textArgument = (given: FilterCall, place: number, name: string, absent: string): string => {
  const value = given.argument(place, name);
  return value === undefined ? absent : textOf(given.run, value, given.at);
};

/**
 * Returns an argument as a number, or `absent` when it was not passed.
 *
 * @param place its position among the arguments, from 0
 * @throws JinjaError for other types
 */
export const numberArgument = (given: FilterCall, place: number, name: string, absent: number): number => {
  const value = given.argument(place, name);
  return value === undefined ? absent : numberOf(given.run, value, given.at);
};
