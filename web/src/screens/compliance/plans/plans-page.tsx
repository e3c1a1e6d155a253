import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { ConfirmDialog, Dialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { type Plan, PlanForm } from './plan-form.tsx';

type Instance = Outputs['configurationManager']['searchPlanInstances']['plans'][number];
type OpenDialog = { kind: 'edit' | 'delete' | 'runs'; plan: Plan };

const TONES: Record<Instance['jobStatus'], Tone> = {
  running: 'info',
  complete: 'good',
  canceled: 'warn',
  error: 'bad',
};

/** Runs of a plan that are listed. */
const RUNS = 20;

const COLUMNS: Column<Plan>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, field: 'name' },
  {
    key: 'nodes',
    header: 'Nodes',
    isNumber: true,
    cell: ({ nodes }) => nodes.length,
    field: 'nodes.length',
  },
  DESCRIPTION,
  CHANGED,
];

/** The compliance plans: nodes of golden configs that are checked together. */
export function PlansPage() {
  const may = useMay();
  const navigate = useNavigate();
  const [{ q }] = useUrlState();
  const { searchPlans } = trpc.configurationManager;
  const refresh = useRefresh(searchPlans.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const create = useCreate({
    label: 'Create plan',
    needs: 'configurationManager.createPlan',
    dialog: (onClose) => <PlanForm onClose={onClose} />,
  });
  const run = async ({ id, nodes }: Plan) => {
    try {
      const { instanceId } = await api.configurationManager.runPlan.mutate({ planId: id });
      const { plans } = await api.configurationManager.searchPlanInstances.query({
        searchParams: { instanceId },
      });
      const [first] = nodes;
      // The overview of its first node, with the progress of the whole run above it.
      await navigate({
        to: '/compliance',
        search: { tree: first?.treeId, version: first?.version, batch: plans[0]?.batchId },
      });
    } catch (error) {
      showProblem(error);
    }
  };
  const columns: Column<Plan>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: (plan) => (
        <ActionMenu
          label="Actions"
          name={`Actions of ${plan.name}`}
          actions={[
            ...(may('configurationManager.runPlan')
              ? [{ label: 'Run', onAction: () => void run(plan), isDisabled: plan.nodes.length === 0 }]
              : []),
            { label: 'Runs', onAction: () => setOpened({ kind: 'runs', plan }) },
            ...(may('configurationManager.updatePlan')
              ? [{ label: 'Change', onAction: () => setOpened({ kind: 'edit', plan }) }]
              : []),
            ...(may('configurationManager.deletePlans')
              ? [{ label: 'Delete', onAction: () => setOpened({ kind: 'delete', plan }) }]
              : []),
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <ListPage
        title="Compliance plans"
        pathTo={<PathLink to="/compliance">Compliance</PathLink>}
        actions={create.button}
        columns={columns}
        rowKey={({ id }) => id}
        path={searchPlans.pathKey()}
        input={{ q }}
        request={q ? { name: q } : {}}
        read={async (start, limit) => {
          const { plans, totalCount } = await api.configurationManager.searchPlans.query({
            ...(q && { name: q }),
            options: { start, limit },
          });
          return { rows: plans, total: totalCount };
        }}
        empty={
          <Empty title="There is no compliance plan yet" next={create.next}>
            <p>A plan checks nodes of several golden configs together, as often as it is run.</p>
          </Empty>
        }
      />
      {create.dialog}
      {opened?.kind === 'edit' && <PlanForm plan={opened.plan} onClose={close} />}
      {opened?.kind === 'runs' && <Runs plan={opened.plan} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete plan"
          onClose={close}
          onConfirm={async () => {
            await api.configurationManager.deletePlans.mutate({ planIds: [opened.plan.id] });
            await refresh();
          }}
        >
          The plan “{opened.plan.name}” is deleted. Its runs and their reports stay; workflows that run it end
          in an error.
        </ConfirmDialog>
      )}
    </>
  );
}

const RUN_COLUMNS: Column<Instance>[] = [
  {
    key: 'started',
    header: 'Started',
    cell: ({ batchId, nodes, started }) => (
      <Link to="/compliance" search={{ tree: nodes[0]?.treeId, version: nodes[0]?.version, batch: batchId }}>
        <Time value={started} />
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ jobStatus }) => <Badge tone={TONES[jobStatus]}>{jobStatus}</Badge>,
  },
  {
    key: 'devices',
    header: 'Devices checked',
    cell: ({ nodes }) => {
      const sum = (field: 'processedDevices' | 'devices') =>
        nodes.reduce((total, node) => total + node[field], 0);
      return `${sum('processedDevices')} of ${sum('devices')}`;
    },
  },
];

/** The newest runs of a plan. */
function Runs({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const runs = useQuery(
    trpc.configurationManager.searchPlanInstances.queryOptions({
      searchParams: { planId: plan.id, limit: RUNS },
    }),
  );
  return (
    <Dialog title={`Runs of ${plan.name}`} isOpen onClose={onClose}>
      <QueryView query={runs} loading="Loading runs">
        {({ plans }) =>
          plans.length === 0 ? (
            <p>The plan has not been run yet.</p>
          ) : (
            <DataTable label="Runs" columns={RUN_COLUMNS} rows={plans} rowKey={({ id }) => id} />
          )
        }
      </QueryView>
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
