import type { Outputs } from '~/api/client.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';

type Settings = Outputs['retention']['getSettings'];
type Kind = keyof Settings;
type JobState = NonNullable<NonNullable<Settings['jobs']>['states']>[number];

const KINDS: readonly { kind: Kind; label: string; plural: string }[] = [
  { kind: 'jobs', label: 'ended jobs', plural: 'jobs' },
  { kind: 'reports', label: 'compliance reports', plural: 'reports' },
  { kind: 'backups', label: 'backups', plural: 'backups' },
  { kind: 'audit', label: 'the audit trail', plural: 'audit entries' },
  { kind: 'events', label: 'events', plural: 'events' },
  { kind: 'history', label: 'the command history', plural: 'commands' },
];
const STATES: readonly JobState[] = ['complete', 'error', 'canceled'];

type Texts = Record<Kind, string>;

/** Days and numbers of documents of each kind as they are typed; both empty: kept for ever. */
export type RetentionDraft = { days: Texts; count: Texts; states: Set<string> };

const textsOf = (settings: Settings, limit: 'days' | 'count') =>
  Object.fromEntries(KINDS.map(({ kind }) => [kind, String(settings[kind]?.[limit] ?? '')])) as Texts;

/** Returns what the form shows of the settings. */
export const retentionDraftOf = (settings: Settings): RetentionDraft => ({
  days: textsOf(settings, 'days'),
  count: textsOf(settings, 'count'),
  states: new Set(settings.jobs?.states ?? STATES),
});

const hasLimit = ({ days, count }: RetentionDraft, kind: Kind) => days[kind] !== '' || count[kind] !== '';

/** Returns the settings of the form. */
export function retentionOf(draft: RetentionDraft): Settings {
  const settings: Settings = Object.fromEntries(
    KINDS.filter(({ kind }) => hasLimit(draft, kind)).map(({ kind }) => [
      kind,
      {
        ...(draft.days[kind] !== '' && { days: Number(draft.days[kind]) }),
        ...(draft.count[kind] !== '' && { count: Number(draft.count[kind]) }),
      },
    ]),
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

type LimitInputProps = { label: string; max: number; value: string; onChange: (value: string) => void };

const LimitInput = ({ label, max, value, onChange }: LimitInputProps) => (
  <input
    className="input"
    type="number"
    aria-label={label}
    placeholder="no limit"
    min={1}
    max={max}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);

/** How many days, and how many of the newest, documents of each kind are kept. */
export function RetentionFields({ draft, onChange }: RetentionFieldsProps) {
  return (
    <>
      <div className="table-frame">
        <table className="table" aria-label="What is kept of each kind">
          <thead>
            <tr>
              <th scope="col">Documents</th>
              <th scope="col">Days kept</th>
              <th scope="col">Number kept</th>
            </tr>
          </thead>
          <tbody>
            {KINDS.map(({ kind, label }) => (
              <tr key={kind}>
                <th scope="row">{`${label[0]?.toUpperCase()}${label.slice(1)}`}</th>
                <td>
                  <LimitInput
                    label={`Days of ${label}`}
                    max={3650}
                    value={draft.days[kind]}
                    onChange={(days) => onChange({ days: { ...draft.days, [kind]: days } })}
                  />
                </td>
                <td>
                  <LimitInput
                    label={`Number kept of ${label}`}
                    max={1_000_000_000}
                    value={draft.count[kind]}
                    onChange={(count) => onChange({ count: { ...draft.count, [kind]: count } })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasLimit(draft, 'jobs') && (
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
