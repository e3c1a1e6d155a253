import type { Outputs } from '~/api/client.ts';
import { TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';

type Settings = Outputs['retention']['getSettings'];
type Kind = keyof Settings;
type JobState = NonNullable<NonNullable<Settings['jobs']>['states']>[number];

const KINDS: readonly { kind: Kind; label: string; plural: string }[] = [
  { kind: 'jobs', label: 'Days of ended jobs', plural: 'jobs' },
  { kind: 'reports', label: 'Days of compliance reports', plural: 'reports' },
  { kind: 'backups', label: 'Days of backups', plural: 'backups' },
  { kind: 'audit', label: 'Days of the audit trail', plural: 'audit entries' },
  { kind: 'events', label: 'Days of events', plural: 'events' },
  { kind: 'history', label: 'Days of the command history', plural: 'commands' },
];
const STATES: readonly JobState[] = ['complete', 'error', 'canceled'];

/** Days of each kind as they are typed; empty: kept for ever. */
export type RetentionDraft = Record<Kind, string> & { states: Set<string> };

/** Returns what the form shows of the settings. */
export const retentionDraftOf = (settings: Settings): RetentionDraft => ({
  ...(Object.fromEntries(KINDS.map(({ kind }) => [kind, String(settings[kind]?.days ?? '')])) as Record<
    Kind,
    string
  >),
  states: new Set(settings.jobs?.states ?? STATES),
});

/** Returns the settings of the form. */
export function retentionOf(draft: RetentionDraft): Settings {
  const settings: Settings = Object.fromEntries(
    KINDS.filter(({ kind }) => draft[kind] !== '').map(({ kind }) => [kind, { days: Number(draft[kind]) }]),
  );
  const states = STATES.filter((state) => draft.states.has(state));
  const hasChoice = states.length > 0 && states.length < STATES.length;
  return settings.jobs && hasChoice ? { ...settings, jobs: { ...settings.jobs, states } } : settings;
}

/** Returns numbers of documents in words, such as `12 jobs, 3 reports`. */
export function countsText(counts: Partial<Record<Kind, number>>): string {
  const parts = KINDS.filter(({ kind }) => (counts[kind] ?? 0) > 0).map(
    ({ kind, plural }) => `${(counts[kind] ?? 0).toLocaleString('en')} ${plural}`,
  );
  return parts.join(', ') || 'nothing';
}

type RetentionFieldsProps = { draft: RetentionDraft; onChange: (change: Partial<RetentionDraft>) => void };

/** How many days documents of each kind are kept. */
export function RetentionFields({ draft, onChange }: RetentionFieldsProps) {
  return (
    <>
      <div className="columns narrow">
        {KINDS.map(({ kind, label }) => (
          <TextField
            key={kind}
            label={label}
            type="number"
            min={1}
            max={3650}
            value={draft[kind]}
            onChange={(days) => onChange({ [kind]: days } as Partial<RetentionDraft>)}
          />
        ))}
      </div>
      {draft.jobs !== '' && (
        <CheckList
          label="States of jobs that are deleted"
          items={STATES.map((state) => ({ id: state, name: state }))}
          chosen={draft.states}
          onChange={(states) => onChange({ states })}
        />
      )}
    </>
  );
}
