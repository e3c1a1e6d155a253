import { type ReactNode, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useNames } from '~/api/use-names.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { NAME } from '~/ui/table/document-columns.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { ALL_EVENTS, RuleForm } from './rule-form.tsx';
import { useChannelNames } from './use-channel-names.ts';

type Rule = Outputs['notifications']['listRules']['results'][number];
type OpenDialog = { kind: 'edit' | 'delete'; rule: Rule };

const stateOf = ({ enabled }: Rule) => (enabled === false ? 'disabled' : 'enabled');

/** The columns of the list. @param channelName names a channel by its id @param accountName names an account by its id */
const columnsOf = (
  channelName: (id: string) => string,
  accountName: (id: string) => string,
): Column<Rule>[] => [
  NAME,
  {
    key: 'state',
    header: 'State',
    cell: (rule) => <Badge tone={rule.enabled === false ? 'neutral' : 'good'}>{stateOf(rule)}</Badge>,
    field: 'enabled:Enabled',
  },
  {
    key: 'topics',
    header: 'Events',
    cell: ({ topics }) => (topics.includes(ALL_EVENTS) ? 'all events' : topics.join(', ')),
    field: 'topics',
  },
  {
    key: 'filter',
    header: 'Only',
    cell: (rule) => filterText(rule),
    field: 'filter',
  },
  {
    key: 'channels',
    header: 'Channels',
    cell: ({ channels }) => channels.map(channelName).join(', '),
    field: 'channels',
  },
  {
    key: 'digest',
    header: 'Sent',
    cell: ({ digestMinutes }) => (digestMinutes ? `together, every ${digestMinutes} min` : 'at once'),
    field: 'digestMinutes',
  },
  {
    key: 'runAs',
    header: 'With the rights of',
    cell: ({ runAs }) => accountName(runAs),
    field: 'runAs',
  },
];

/** Which events are sent to which channels. */
export function Rules({ tabs }: { tabs: ReactNode }) {
  const refresh = useRefresh(trpc.notifications.listRules.pathFilter());
  const channelName = useChannelNames();
  const accountName = useNames();
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const setEnabled = async ({ _id: id }: Rule, enabled: boolean) => {
    try {
      await api.notifications.updateRule.mutate({ id, rule: { enabled } });
    } catch (error) {
      showProblem(error);
    }
    await refresh();
  };
  return (
    <>
      <NamedList
        title="Rules"
        frame={inAdmin('Notifications')}
        intro={tabs}
        columns={columnsOf(channelName, accountName)}
        rowKey={({ _id }) => _id}
        nameOf={({ name }) => name}
        procedure={trpc.notifications.listRules}
        read={(queryOptions) => api.notifications.listRules.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no rule yet',
          text: 'A rule sends events, such as a failed job, to channels. Create a channel first.',
        }}
        create={{
          label: 'Create rule',
          needs: 'notifications.createRule',
          dialog: (onClose) => <RuleForm onClose={onClose} />,
        }}
        actionsOf={(rule) => [
          {
            label: 'Change',
            needs: 'notifications.updateRule',
            onAction: () => setOpened({ kind: 'edit', rule }),
          },
          {
            label: rule.enabled === false ? 'Enable' : 'Disable',
            needs: 'notifications.updateRule',
            onAction: () => void setEnabled(rule, rule.enabled === false),
          },
          {
            label: 'Delete',
            needs: 'notifications.deleteRule',
            onAction: () => setOpened({ kind: 'delete', rule }),
          },
        ]}
      />
      {opened?.kind === 'edit' && <RuleForm rule={opened.rule} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete rule"
          onClose={close}
          onConfirm={async () => {
            await api.notifications.deleteRule.mutate({ id: opened.rule._id });
            await refresh();
          }}
        >
          The rule “{opened.rule.name}” is deleted with its deliveries; those that wait are not sent.
        </ConfirmDialog>
      )}
    </>
  );
}

function filterText({ filter }: Rule): string {
  const { severities = [], tags = [], subjects = [] } = filter ?? {};
  const parts = [
    severities.length > 0 && `severity ${severities.join(', ')}`,
    tags.length > 0 && `tags ${tags.join(', ')}`,
    subjects.length > 0 && `about ${subjects.join(', ')}`,
  ];
  return parts.filter(Boolean).join('; ') || 'everything';
}
