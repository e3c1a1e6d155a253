import type { Kind } from '../case.ts';
import { outline, parentsOf } from '../outline.ts';

/** Every line with the lines that it belongs to. */
export const parse: Kind = ({ os, given }) => {
  const { config } = given as { config: string };
  return outline(config, os).map((one) => [one.line, parentsOf(one)]);
};
