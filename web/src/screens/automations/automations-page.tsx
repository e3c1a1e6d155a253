import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { automationPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { Page } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { NewAutomation } from './new-automation.tsx';
import { Enabled, LastResult, NextRun, StartedBy, type Trigger, triggerType } from './trigger-state.tsx';

type Automation = Outputs['operationsManager']['listAutomations']['data'][number];

const AUTOMATIONS: Column<Automation>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    width: '20rem',
    cell: ({ _id, name }) => <Link {...automationPath(_id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'component',
    header: 'Starts',
    cell: ({ componentName, componentId }) => componentName ?? componentId ?? 'nothing yet',
    field: 'componentName',
  },
  DESCRIPTION,
  {
    key: 'updated',
    header: 'Changed',
    sortField: 'lastUpdated',
    width: '10rem',
    cell: ({ lastUpdated }) => <Time value={lastUpdated} />,
    field: 'lastUpdated',
  },
];

const TRIGGERS: Column<Trigger>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    width: '16rem',
    cell: (trigger) => <Link {...automationPath(trigger.actionId ?? '')}>{trigger.name}</Link>,
    field: 'name',
  },
  { key: 'type', header: 'Type', width: '8rem', cell: triggerType, field: 'type' },
  {
    key: 'enabled',
    header: 'State',
    width: '7rem',
    cell: (trigger) => <Enabled trigger={trigger} />,
    field: 'enabled:Enabled',
  },
  {
    key: 'start',
    header: 'Started by',
    wraps: ({ type }) => type === 'schedule',
    cell: (trigger) => <StartedBy trigger={trigger} />,
    field: 'createdBy',
  },
  {
    key: 'next',
    header: 'Next run',
    width: '9rem',
    cell: (trigger) => <NextRun trigger={trigger} />,
    field: 'nextRunAt',
  },
  {
    key: 'last',
    header: 'Last result',
    cell: (trigger) => <LastResult trigger={trigger} />,
    field: 'lastResult.message',
  },
];

const TABS = [
  { key: 'automations', title: 'Automations' },
  { key: 'triggers', title: 'Triggers' },
] as const;

/** Screen 11: automations, and every trigger with its next run and last result. */
export function AutomationsPage() {
  const may = useMay();
  const tab = useTab(TABS.map(({ key }) => key));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Automations"
      actions={
        <>
          {may('jsonForms.listForms') && <LinkButton to="/automations/forms">Forms</LinkButton>}
          {may('operationsManager.createAutomation') && (
            <Button variant="primary" onPress={() => setCreating(true)}>
              Create automation
            </Button>
          )}
        </>
      }
    >
      <LinkTabs label="Automations and triggers" tabs={TABS} />
      {tab === 'triggers' ? <TriggerList /> : <AutomationList onCreate={() => setCreating(true)} />}
      <NewAutomation isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function AutomationList({ onCreate }: { onCreate: () => void }) {
  const may = useMay();
  const [{ q, sort }] = useUrlState();
  const order = sortOf(sort) ?? { field: 'name', order: 1 as const };
  const input = { ...(q && { contains: { name: q } }), sort: order.field, order: order.order };
  return (
    <ListView
      title="Automations"
      columns={AUTOMATIONS}
      rowKey={({ _id }) => _id}
      path={trpc.operationsManager.listAutomations.pathKey()}
      input={input}
      defaultSort={{ field: 'name', order: 1 }}
      read={async (skip, limit) => {
        const { data, metadata } = await api.operationsManager.listAutomations.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      empty={
        <Empty
          title="No automation yet"
          next={may('operationsManager.createAutomation') && { label: 'Create the first one', act: onCreate }}
        >
          <p>An automation names a workflow that users, schedules, events and calls can start.</p>
        </Empty>
      }
    />
  );
}

function TriggerList() {
  const [{ q, sort, type = '' }, setUrl] = useUrlState();
  const order = sortOf(sort) ?? { field: 'name', order: 1 as const };
  const input = {
    ...(q && { contains: { name: q } }),
    ...(type && { equals: { type } }),
    sort: order.field,
    order: order.order,
  };
  return (
    <ListView
      title="Triggers"
      columns={TRIGGERS}
      rowKey={({ _id }) => _id}
      path={trpc.operationsManager.listTriggers.pathKey()}
      input={input}
      defaultSort={{ field: 'name', order: 1 }}
      filters={
        <select
          className="input fit"
          aria-label="Type"
          value={type}
          onChange={(event) => setUrl({ type: event.target.value })}
        >
          <option value="">Any type</option>
          <option value="manual">Manual</option>
          <option value="schedule">Schedule</option>
          <option value="eventSystem">Event</option>
          <option value="endpoint">Endpoint</option>
        </select>
      }
      read={async (skip, limit) => {
        const { data, metadata } = await api.operationsManager.listTriggers.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: data, total: metadata.total };
      }}
      empty={
        <Empty title="No trigger yet">
          <p>Open an automation to see what starts it.</p>
          <LinkButton to="/automations">Automations</LinkButton>
        </Empty>
      }
    />
  );
}
