import type { Kind } from '../case.ts';
import { diff as between } from '../features.ts';

/** The lines that one configuration has and the other has not. */
export const diff: Kind = ({ os, given }) => {
  const { compare, base } = given as { compare: string; base: string };
  return between(compare, base, os);
};
