import type { Kind } from '../case.ts';
import { compliance as agreement, type Feature } from '../features.ts';

/** How a backup agrees with the intended configuration, by feature. */
export const compliance: Kind = ({ os, given }) => {
  const { features, backup, intended } = given as { features: Feature[]; backup: string; intended: string };
  return Object.fromEntries(agreement(features, backup.trim(), intended.trim(), os));
};
