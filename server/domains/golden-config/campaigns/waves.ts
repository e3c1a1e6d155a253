import type { Campaign } from '#db/schemas/golden-config/campaign.ts';

/** Sizes of the waves of a campaign that names none. */
const USUAL_WAVES = [1, 10, 100];

/**
 * Returns the number of devices in a wave.
 *
 * @param wave from 1
 */
export const waveSize = ({ waves = USUAL_WAVES }: Pick<Campaign, 'waves'>, wave: number): number =>
  waves[Math.min(wave, waves.length) - 1] ?? 1;

/**
 * Returns where the waves that come begin in the order of the devices that wait for their change.
 *
 * @param claimed devices that the wave that has begun last has taken so far
 * @param waiting devices that wait for their change
 * @returns positions from 1; the first is that of the wave after the one that has begun last
 */
export function waveStarts(
  campaign: Pick<Campaign, 'waves' | 'wave' | 'nextWave'>,
  claimed: number,
  waiting: number,
): number[] {
  const { wave, nextWave } = campaign;
  // A wave that has begun takes its devices one after another; the next one waits only after that.
  const isOpen = wave > 0 && nextWave === null;
  const starts = [1 + (isOpen ? Math.max(0, waveSize(campaign, wave) - claimed) : 0)];
  for (let next = wave + 1; (starts.at(-1) ?? 0) <= waiting; next += 1) {
    starts.push((starts.at(-1) ?? 0) + waveSize(campaign, next));
  }
  return starts;
}
