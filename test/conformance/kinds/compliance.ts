import type { Kind } from '../case.ts';
import { type Feature, featureCompliance } from '../features.ts';

/** How a backup agrees with the intended configuration, by feature. */
export const compliance: Kind = ({ os, given }) => {
  const { features, backup, intended } = given as { features: Feature[]; backup: string; intended: string };
  return Object.fromEntries(
    features.map((feature) => [feature.name, featureCompliance(feature, backup.trim(), intended.trim(), os)]),
  );
};
