import { numberOf, type RenderState, textOf } from '../run.ts';

/** Arguments of a filter, read by place or by name, and the rendering that they are for. */
export type FilterCall = {
  run: RenderState;
  at: number;
  /** An argument; undefined when it was not given. */
  argument: (place: number, name: string) => unknown;
  /** Another filter, for those that apply one to each item. */
  named: (name: string) => Filter | undefined;
};

/** A pure function of a value. */
export type Filter = (value: unknown, given: FilterCall) => unknown;

/** An argument that must be a text. */
export const textArgument = (given: FilterCall, place: number, name: string, absent: string): string => {
  const value = given.argument(place, name);
  return value === undefined ? absent : textOf(given.run, value, given.at);
};

/** An argument that must be a number. */
export const numberArgument = (given: FilterCall, place: number, name: string, absent: number): number => {
  const value = given.argument(place, name);
  return value === undefined ? absent : numberOf(given.run, value, given.at);
};
