import type { Kind } from '../case.ts';
import { type Feature, featureCompliance } from '../features.ts';

/** How two configurations agree on one feature. */
export const feature: Kind = ({ os, given }) => {
  const one = given as { feature: Feature; actual: string; intended: string };
  return featureCompliance(one.feature, one.actual, one.intended, os);
};
