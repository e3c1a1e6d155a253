import { useQuery } from '@tanstack/react-query';
import { api, type Inputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { SelectField, TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { draftOf, scheduleOf } from '~/ui/schedule/schedule-draft.ts';
import { ScheduleField } from '~/ui/schedule/schedule-field.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import type { Trigger } from './trigger-state.tsx';

type GivenTrigger = Inputs['operationsManager']['createTrigger']['trigger'];
type Missed = NonNullable<Extract<Trigger, { type: 'schedule' }>['processMissedRuns']>;

type Draft = {
  name: string;
  type: Trigger['type'];
  formId: string;
  routeName: string;
  event: string;
  missed: Missed;
};

const TYPES: { value: Trigger['type']; label: string }[] = [
  { value: 'manual', label: 'A user' },
  { value: 'schedule', label: 'A schedule' },
  { value: 'endpoint', label: 'An HTTP call' },
  { value: 'eventSystem', label: 'An event' },
];

const MISSED: { value: Missed; label: string }[] = [
  { value: 'none', label: 'Not made up for' },
  { value: 'last', label: 'The last one is made up for' },
  { value: 'all', label: 'All are made up for' },
];

const NIGHTLY = { calendar: { every: 'day', at: '02:30' } } as const;

/** Between the publisher and the name of an event, neither of which has a space. */
const SEPARATOR = ' ';

/** Creates a trigger of an automation: what starts it. */
export function NewTrigger({ actionId, onClose }: { actionId: string; onClose: () => void }) {
  const refresh = useRefresh(trpc.operationsManager.listTriggers.pathFilter());
  const [draft, change] = useDraft<Draft>({
    name: '',
    type: 'manual',
    formId: '',
    routeName: '',
    event: '',
    missed: 'none',
  });
  const [times, changeTimes] = useDraft(() => draftOf(NIGHTLY));
  const { type } = draft;
  const own = fieldsOf(draft, scheduleOf(times));
  return (
    <FormDialog
      title="Create trigger"
      action="Create trigger"
      size={type === 'schedule' ? 'wide' : 'normal'}
      isOpen
      onClose={onClose}
      isReady={draft.name.trim() !== '' && own !== undefined}
      onSubmit={async () => {
        const common = { name: draft.name.trim(), actionType: 'automations', actionId, enabled: true };
        await api.operationsManager.createTrigger.mutate({ trigger: { ...common, ...own } as GivenTrigger });
        await refresh();
      }}
    >
      <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} isRequired autoFocus />
      <SelectField
        label="Started by"
        value={type}
        onChange={(next) => change({ type: next })}
        choices={TYPES}
      />
      {(type === 'manual' || type === 'schedule') && (
        <TextField
          label="Form"
          hint="The name of a JSON form for the input; empty: none"
          value={draft.formId}
          onChange={(formId) => change({ formId })}
        />
      )}
      {type === 'endpoint' && (
        <TextField
          label="Route"
          hint="Last part of the path: POST /operations-manager/triggers/endpoint/ROUTE"
          value={draft.routeName}
          onChange={(routeName) => change({ routeName })}
          isRequired
        />
      )}
      {type === 'eventSystem' && <EventField value={draft.event} onChange={(event) => change({ event })} />}
      {type === 'schedule' && (
        <>
          <ScheduleField draft={times} onChange={changeTimes} isRequired />
          <SelectField
            label="Missed runs"
            value={draft.missed}
            onChange={(missed) => change({ missed })}
            choices={MISSED}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Returns the fields of a trigger of the chosen type; undefined while one is missing. */
function fieldsOf(
  { type, formId, routeName, event, missed }: Draft,
  schedule: ReturnType<typeof scheduleOf>,
) {
  const form = { formId: formId.trim() || null };
  switch (type) {
    case 'manual':
      return { type, ...form };
    case 'schedule':
      return schedule && { type, ...form, schedule, processMissedRuns: missed };
    case 'endpoint':
      return routeName.trim() === '' ? undefined : { type, routeName: routeName.trim() };
    case 'eventSystem': {
      const [source = '', topic = ''] = event.split(SEPARATOR);
      return topic === '' ? undefined : { type, source, topic };
    }
  }
}

/** One of the events that triggers can wait for. */
function EventField({ value, onChange }: { value: string; onChange: (event: string) => void }) {
  const events = useQuery(trpc.operationsManager.listEvents.queryOptions({}));
  const choices = (events.data?.data ?? []).map(({ source, topic }) => ({
    value: `${source}${SEPARATOR}${topic}`,
    label: `${topic} of ${source}`,
  }));
  return (
    <>
      <SelectField
        label="Event"
        value={value}
        onChange={onChange}
        choices={[{ value: '', label: 'Choose one' }, ...choices]}
      />
      {events.error && <ProblemNote problem={problemOf(events.error)} />}
    </>
  );
}
