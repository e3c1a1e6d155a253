import type { Kind } from '../case.ts';
import { unordered as compare } from '../features.ts';

/** Whether lines differ only in their order, and the pairs at other places. */
export const unordered: Kind = ({ given }) => {
  const { intended, actual } = given as { intended: string; actual: string };
  return compare(intended, actual);
};
