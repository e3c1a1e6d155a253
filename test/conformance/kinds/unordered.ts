import type { Kind } from '../case.ts';
import { unordered as compare } from '../features.ts';

/** Whether lines differ but in their order, and the pairs that stand elsewhere. */
export const unordered: Kind = ({ given }) => {
  const { intended, actual } = given as { intended: string; actual: string };
  return compare(intended, actual);
};
