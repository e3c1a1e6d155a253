import { Badge, type Tone } from '~/ui/badge.tsx';

const STATES: Record<string, { tone: Tone; label: string }> = {
  ONLINE: { tone: 'good', label: 'responds' },
  OFFLINE: { tone: 'bad', label: 'does not respond' },
  UNKNOWN: { tone: 'neutral', label: 'not tested' },
};

/** Whether a device responds, as its origin last reported it. */
export function DeviceState({ status = 'UNKNOWN' }: { status?: string | undefined }) {
  const state = STATES[status.toUpperCase()];
  return <Badge tone={state?.tone ?? 'neutral'}>{state?.label ?? status.toLowerCase()}</Badge>;
}
