import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { loadCode } from '~/ui/load-code.ts';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Failed, Loading, QueryView } from '~/ui/states.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import { DataTable } from '~/ui/table/data-table.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { MissingList } from './missing-list.tsx';
import { UsedBy } from './used-by.tsx';
import { type TaskRow, taskRows } from './workflow-tasks.ts';

const Graph = lazy(async () => {
  const { WorkflowCanvas } = await loadCode(() => import('./workflow/workflow-canvas.tsx'));
  return { default: WorkflowCanvas };
});

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

const TABS = [
  { key: 'tasks', title: 'Tasks' },
  { key: 'graph', title: 'Graph' },
  { key: 'schemas', title: 'Input and output' },
  { key: 'document', title: 'Document' },
] as const;

/** A workflow, read-only: its tasks with what follows each, its problems, its schemas and the document. */
export function WorkflowPage() {
  const id = usePathParam('workflowId');
  const workflow = useQuery({
    queryKey: [...trpc.automationStudio.listWorkflows.pathKey(), { id }],
    queryFn: async () => {
      const { items } = await api.automationStudio.listWorkflows.query({
        queryOptions: { equals: { _id: id }, limit: 1 },
      });
      return items[0] ?? null;
    },
  });
  return (
    <LoadedPage
      query={workflow}
      title={id}
      titleOf={(data) => nameText(data?.name ?? id)}
      path={<PathLink to="/workflows">Workflows</PathLink>}
      actions={(data) => data && <Actions workflow={data} id={id} />}
    >
      {(data) =>
        data ? (
          <Content workflow={data} />
        ) : (
          <Failed
            problem={{
              status: 404,
              message: 'No workflow has this id, or your account may not read it.',
              requestId: undefined,
              issues: [],
              data: undefined,
            }}
          />
        )
      }
    </LoadedPage>
  );
}

function Actions({ workflow, id }: { workflow: Workflow; id: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Button onPress={() => setShown(true)}>Used by</Button>
      <Button
        onPress={() =>
          saveFile(`${workflow.name}.json`, JSON.stringify(workflow, null, 2), 'application/json')
        }
      >
        Save as file
      </Button>
      {isShown && <UsedBy type="workflow" reference={id} onClose={() => setShown(false)} />}
    </>
  );
}

function Content({ workflow }: { workflow: Workflow }) {
  const tab = useTab(TABS.map(({ key }) => key));
  return (
    <>
      {workflow.description && <p>{workflow.description}</p>}
      <Problems workflow={workflow} />
      {workflow._id && <MissingParts workflowId={workflow._id} />}
      <LinkTabs label="Parts of the workflow" tabs={TABS} />
      {tab === 'tasks' && <Tasks rows={taskRows(workflow)} />}
      {tab === 'graph' && (
        <Suspense fallback={<Loading what="Loading the graph" />}>
          <Graph workflow={workflow} />
        </Suspense>
      )}
      {tab === 'schemas' && (
        <div className="columns">
          <JsonView label="Input schema" value={workflow.inputSchema} />
          <JsonView label="Output schema" value={workflow.outputSchema} />
        </div>
      )}
      {tab === 'document' && <JsonView label="Document" value={workflow} />}
    </>
  );
}

/** What the workflow needs and nobody has; nothing while it has all. */
function MissingParts({ workflowId }: { workflowId: string }) {
  const missing = useQuery(trpc.automationStudio.listMissingOfWorkflow.queryOptions({ workflowId }));
  if (missing.data?.metadata.total === 0) return null;
  return (
    <section className="card" aria-label="Missing parts">
      <h2>Missing parts</h2>
      <QueryView query={missing}>{({ data }) => <MissingList missing={data} />}</QueryView>
    </section>
  );
}

function Problems({ workflow }: { workflow: Workflow }) {
  const { errors, warnings } = workflow;
  const titleOf = new Map(taskRows(workflow).map(({ key, summary }) => [key, summary]));
  const all = [
    ...(errors ?? []).map((one) => ({ ...one, tone: 'bad' as const })),
    ...(warnings ?? []).map((one) => ({ ...one, tone: 'warn' as const })),
  ];
  if (all.length === 0) return null;
  return (
    <section className="card" aria-label="Problems">
      <h2>Problems</h2>
      <ul className="plain">
        {all.map(({ tone, message, task }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
          <li key={index}>
            <Badge tone={tone}>{tone === 'bad' ? 'error' : 'warning'}</Badge>{' '}
            {task && (
              <Link to="." search={{}} hash={taskAnchor(task)}>
                {titleOf.get(task) || task} ({task})
              </Link>
            )}{' '}
            {String(message ?? '')}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The id of the element that shows a task. */
const taskAnchor = (task: string) => `task-${task}`;

function Tasks({ rows }: { rows: TaskRow[] }) {
  return (
    <DataTable
      label="Tasks"
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        { key: 'key', header: 'Task', cell: ({ key }) => <code id={taskAnchor(key)}>{key}</code> },
        { key: 'summary', header: 'Summary', cell: ({ summary }) => summary },
        { key: 'method', header: 'Does', cell: ({ method }) => method },
        { key: 'type', header: 'Kind', cell: ({ type }) => type },
        {
          key: 'next',
          header: 'Followed by',
          cell: ({ next }) => next.map(({ to, on }) => `${to} (${on})`).join(', '),
        },
      ]}
    />
  );
}
