import { useQuery } from '@tanstack/react-query';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { namesIn, wordsIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { useChannels } from './use-channel-names.ts';

type Rule = Outputs['notifications']['listRules']['results'][number];
type Severity = NonNullable<
  NonNullable<Inputs['notifications']['createRule']['rule']['filter']>['severities']
>[number];

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** The pattern that matches every event. */
export const ALL_EVENTS = '*';

/** Creates a rule, or changes one; it then sends what the account that saved it may read. */
export function RuleForm({ rule, onClose }: { rule?: Rule; onClose: () => void }) {
  const refresh = useRefresh(trpc.notifications.listRules.pathFilter());
  const may = useMay();
  const channels = useChannels();
  const events = useQuery(
    trpc.operationsManager.listEvents.queryOptions({}, { enabled: may('operationsManager.listEvents') }),
  );
  const [draft, change] = useDraft(() => ({
    name: rule?.name ?? '',
    topics: new Set<string>(rule?.topics ?? []),
    channels: new Set<string>(rule?.channels ?? []),
    severities: new Set<string>(rule?.filter?.severities ?? []),
    tags: (rule?.filter?.tags ?? []).join(', '),
    subjects: (rule?.filter?.subjects ?? []).join('\n'),
    digestMinutes: String(rule?.digestMinutes ?? 0),
  }));
  const known = [...new Set((events.data?.data ?? []).map(({ topic }) => topic))];
  const topics = [
    ...new Set([...known, ...[...draft.topics].filter((topic) => topic !== ALL_EVENTS)]),
  ].sort();
  const severities = SEVERITIES.filter((severity) => draft.severities.has(severity));
  const tags = wordsIn(draft.tags);
  const subjects = namesIn(draft.subjects);
  const body = {
    name: draft.name.trim(),
    topics: draft.topics.has(ALL_EVENTS) ? [ALL_EVENTS] : [...draft.topics],
    channels: [...draft.channels],
    filter: {
      ...(severities.length > 0 && { severities }),
      ...(tags.length > 0 && { tags }),
      ...(subjects.length > 0 && { subjects }),
    },
    digestMinutes: Number(draft.digestMinutes),
  };
  return (
    <FormDialog
      title={rule ? 'Change rule' : 'Create rule'}
      action={rule ? 'Save' : 'Create rule'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={body.name !== '' && body.topics.length > 0 && body.channels.length > 0}
      onSubmit={async () => {
        if (rule) await api.notifications.updateRule.mutate({ id: rule._id, rule: body });
        else await api.notifications.createRule.mutate({ rule: body });
        await refresh();
      }}
    >
      <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} isRequired autoFocus />
      <div className="columns">
        <CheckList
          label="Events"
          items={[
            { id: ALL_EVENTS, name: 'all events' },
            ...topics.map((topic) => ({ id: topic, name: topic })),
          ]}
          chosen={draft.topics}
          onChange={(chosen) => change({ topics: chosen })}
          from={events}
        />
        <CheckList
          label="Channels"
          items={(channels.data?.results ?? []).map(({ _id, name }) => ({ id: _id, name }))}
          chosen={draft.channels}
          onChange={(chosen) => change({ channels: chosen })}
          from={channels}
        />
      </div>
      {channels.data?.results.length === 0 && (
        <p className="note" data-tone="warn">
          There is no channel yet: create one under Channels first.
        </p>
      )}
      <CheckList
        label="Severities (none selected: all)"
        items={SEVERITIES.map((severity) => ({ id: severity, name: severity }))}
        chosen={draft.severities}
        onChange={(chosen) => change({ severities: chosen })}
      />
      <div className="columns narrow">
        <TextField
          label="Only with one of these tags"
          hint="Separated by commas"
          value={draft.tags}
          onChange={(text) => change({ tags: text })}
        />
        <TextField
          label="Minutes between digests"
          hint="Events in between are sent together. 0: each event is sent at once"
          type="number"
          min={0}
          max={1440}
          value={draft.digestMinutes}
          onChange={(digestMinutes) => change({ digestMinutes })}
        />
      </div>
      <TextArea
        label="Only about these"
        hint="Ids of documents and jobs, names of devices and adapters, one per line"
        rows={3}
        value={draft.subjects}
        onChange={(text) => change({ subjects: text })}
      />
    </FormDialog>
  );
}
