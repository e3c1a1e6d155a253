import type { Kind } from '../case.ts';
import { type Feature, sectionOf } from '../features.ts';

/** What a configuration holds of a feature. */
export const section: Kind = ({ os, given }) => {
  const { config, feature } = given as { config: string; feature: Feature };
  return sectionOf(feature, config, os);
};
