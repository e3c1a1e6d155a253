import type { Outputs } from '~/api/client.ts';
import type { Tone } from '~/ui/badge.tsx';

type Device = Outputs['configurationManager']['listCampaignDevices']['list'][number];
type Status = Device['status'];

/** Numbers of devices by their state. */
export type Counts = Outputs['configurationManager']['getCampaign']['devices'];

/** The states of devices in a campaign, as users read them. */
export const STATES: readonly { status: Status; label: string; tone: Tone }[] = [
  { status: 'waiting', label: 'waiting', tone: 'neutral' },
  { status: 'proposed', label: 'proposed', tone: 'info' },
  { status: 'nothing', label: 'nothing to change', tone: 'neutral' },
  { status: 'applying', label: 'applying', tone: 'info' },
  { status: 'applied', label: 'applied', tone: 'good' },
  { status: 'rolledBack', label: 'rolled back', tone: 'bad' },
  { status: 'failed', label: 'failed', tone: 'bad' },
  { status: 'skipped', label: 'skipped', tone: 'warn' },
];

/** How many devices are in which state: `3 applied, 2 rolled back`. */
export const countsText = (counts: Counts): string =>
  STATES.filter(({ status }) => counts[status])
    .map(({ status, label }) => `${counts[status]?.toLocaleString('en')} ${label}`)
    .join(', ') || 'none';

/** The wave in which a device was changed or comes next: `2`, `3, planned`. */
export function waveText({ wave, plannedWave }: Device): string {
  if (wave !== null) return String(wave);
  return plannedWave === null ? '–' : `${plannedWave}, planned`;
}
