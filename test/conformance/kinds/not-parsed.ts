import type { Kind } from '../case.ts';
import { type Feature, sectionOf } from '../features.ts';

/** What no feature covers, and the features that the configuration has nothing of. */
export const notParsed: Kind = ({ os, given }) => {
  const { config, features } = given as { config: string; features: Feature[] };
  const sections = features.map((feature) => ({ name: feature.name, text: sectionOf(feature, config, os) }));
  return {
    remaining_cfg: sections
      .reduce((rest, { text }) => (text ? rest.replaceAll(text, '') : rest), config)
      .trim(),
    section_not_found: sections.filter(({ text }) => !text).map(({ name }) => name),
  };
};
