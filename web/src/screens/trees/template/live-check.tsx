import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { problemOf, problemOfRead } from '~/api/problem.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { noteOf, type TemplateNote } from '~/ui/code/notes.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { counted } from '~/ui/quantities.ts';
import { Loading, ProblemNote } from '~/ui/states.tsx';
import type { Place } from '../place.ts';

type Checked = Outputs['configurationManager']['checkConfiguration'];

/** How long typing must pause before the draft is checked, in milliseconds. */
const PAUSE_MS = 150;
const BACKUPS = 50;
const SHOWN = 100;
const TONES: Readonly<Record<string, Tone>> = { error: 'bad', warning: 'warn', info: 'info' };

/** Returns a value once it has not changed for a moment. */
function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

type LiveCheckProps = {
  place: Place;
  /** The template to check; absent: the stored one for the platform of the tree. */
  template: string | undefined;
  /** The platform whose rules the template is; absent: that of the tree. */
  platform: string | undefined;
  /** Whether the template is not saved yet. */
  isDraft: boolean;
  onNotes: (notes: readonly TemplateNote[]) => void;
  /** Begins the template with a configuration; absent: it has lines already, or may not be changed. */
  onBegin?: ((configuration: string) => void) | undefined;
};

/** Checks the template, as it is typed, against the newest backup of a device of the node or any other backup. */
export function LiveCheck({ place, template, platform, isDraft, onNotes, onBegin }: LiveCheckProps) {
  const [{ against = '' }, setUrl] = useUrlState();
  const { treeId, version, nodePath } = place;
  const placed = useQuery(trpc.configurationManager.listTreeDevices.queryOptions({ treeId, version }));
  const devices = new Set(
    (placed.data ?? [])
      .filter(({ nodePath: at }) => at === nodePath || at.startsWith(`${nodePath}/`))
      .map(({ device }) => device),
  );
  const backups = useQuery(
    trpc.configurationManager.searchBackups.queryOptions({
      options: { sort: 'date', order: -1, limit: BACKUPS },
    }),
  );
  const list = (backups.data?.list ?? []).toSorted(
    (a, b) => Number(devices.has(b.name)) - Number(devices.has(a.name)),
  );
  const backup = useQuery(
    trpc.configurationManager.getBackup.queryOptions({ id: against }, { enabled: against !== '' }),
  );
  const draft = useDeferredValue(useSettled(template, PAUSE_MS));
  const check = useQuery(
    trpc.configurationManager.checkConfiguration.queryOptions(
      {
        options: {
          ...place,
          deviceName: backup.data?.name ?? '-',
          configuration: backup.data?.rawConfig ?? '',
          template: draft,
          platform,
        },
      },
      {
        enabled: backup.data !== undefined,
        placeholderData: keepPreviousData,
        retry: false,
        gcTime: 10_000,
      },
    ),
  );
  const { data, error } = check;
  useEffect(() => {
    if (draft === undefined) return;
    onNotes(error ? problemOf(error).issues.flatMap(noteOf) : (data?.warnings ?? []));
  }, [draft, data, error, onNotes]);
  const problem = error ? problemOf(error) : undefined;
  return (
    <section className="card" aria-labelledby="check">
      <h3 id="check">Check against a configuration</h3>
      <SelectField
        label="Backup"
        hint="Backups of devices of this node come first."
        value={against}
        choices={[
          { value: '', label: 'Choose one' },
          ...list.map(({ id, name, date }) => ({
            value: id,
            label: `${name}${devices.has(name) ? ' (of this node)' : ''}, ${date ?? 'no date'}`,
          })),
        ]}
        onChange={(next) => setUrl({ against: next || undefined })}
        from={backups}
      />
      {onBegin && backup.data && (
        <div className="row">
          <Button onPress={() => onBegin(backup.data.rawConfig)}>Start the template with it</Button>
          <span className="muted small">Then remove the lines that differ from device to device.</span>
        </div>
      )}
      {backup.error && <ProblemNote problem={problemOfRead(backup.error)} />}
      {problem?.issues.every(({ line }) => line === undefined) && <ProblemNote problem={problem} />}
      {problem?.issues.some(({ line }) => line !== undefined) && (
        <p className="muted">The template has errors: they are listed above.</p>
      )}
      {against !== '' && !backup.error && check.isPending && <Loading what="Checking" />}
      {check.isPlaceholderData && <p className="muted">Checking …</p>}
      {data && !check.isPlaceholderData && !problem && <Outcome checked={data} isDraft={isDraft} />}
    </section>
  );
}

function Outcome({ checked, isDraft }: { checked: Checked; isDraft: boolean }) {
  const { status, error, totals, issues } = checked;
  if (status === 'error') return <p className="field-problem">{error ?? 'It could not be checked.'}</p>;
  return (
    <div role="status" aria-label="Check">
      <p>
        <strong>{isDraft ? 'Draft' : 'Stored template'}</strong>: {counted(totals.errors, 'error')},{' '}
        {counted(totals.warnings, 'warning')}, {counted(totals.infos, 'info')}, {totals.passes} met, with the
        rules of the nodes above.
      </p>
      <ul className="plain small">
        {issues.slice(0, SHOWN).map(({ severity, message, specId, parents, type }) => (
          <li key={JSON.stringify([specId, type, parents, message])}>
            <Badge tone={TONES[severity] ?? 'neutral'}>{severity}</Badge>{' '}
            {parents.length > 0 && <span className="muted">{parents.join(' › ')} › </span>}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
