import { PLATFORMS } from '#server/platforms/index.ts';

/**
 * Returns the config parser for a device's configurations, based on its orchestrator's data (contract/lifecycle#11).
 *
 * @returns "" when no parser matches
 */
export function parserOf({ nedId, platform }: { nedId: string; platform: string }): string {
  for (const candidate of [platform, nedId.split(':').at(-1) ?? '']) {
    const name = candidate.toLowerCase();
    if (PLATFORMS.some((one) => one.text && one.name === name)) return name;
    const [found] = PLATFORMS.map((one) => ({
      one,
      matched: one.orchestratorNames?.exec(name)?.[0].length ?? 0,
    }))
      .filter(({ matched }) => matched > 0)
      .sort((a, b) => b.matched - a.matched);
    if (found) return found.one.name;
  }
  return '';
}
