import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { projectPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { Empty, Loading } from '~/ui/states.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { TaskTable } from './task-table.tsx';
import './workflow.css';

const Canvas = lazy(async () => ({ default: (await import('./workflow-canvas.tsx')).WorkflowCanvas }));

export type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

const TABS = [
  { key: 'graph', label: 'Graph' },
  { key: 'table', label: 'Table' },
  { key: 'schemas', label: 'Input and output' },
] as const;

/** One workflow, to be read: its tasks as a graph and as a table. */
export function WorkflowPage() {
  const id = usePathParam('workflowId');
  const found = useQuery(
    trpc.automationStudio.listWorkflows.queryOptions({ queryOptions: { equals: { _id: id }, limit: 1 } }),
  );
  return (
    <LoadedPage
      query={found}
      title="Workflow"
      titleOf={({ items }) => items[0]?.name ?? 'Workflow'}
      path={
        <>
          <Link to="/projects">Projects</Link> /{' '}
          <Link to="/projects" search={{ tab: 'workflows' } as never}>
            Workflows
          </Link>
        </>
      }
    >
      {({ items: [workflow] }) =>
        workflow ? (
          <Content workflow={workflow} />
        ) : (
          <Empty title="There is no such workflow">
            <p>It was deleted, or your account may not see its project.</p>
          </Empty>
        )
      }
    </LoadedPage>
  );
}

function Content({ workflow }: { workflow: Workflow }) {
  const tab = useTab(TABS);
  const [{ task }, setUrl] = useUrlState();
  const choose = (key: string) => setUrl({ task: key });
  const chosen = task === undefined ? undefined : workflow.tasks?.[task];
  const { namespace, description, errors = [] } = workflow;
  return (
    <>
      {(description || namespace?._id) && (
        <p>
          {visibleText(description ?? '')}{' '}
          {namespace?._id && (
            <>
              Project <Link to={projectPath(namespace._id)}>{visibleText(namespace.name ?? '')}</Link>
            </>
          )}
        </p>
      )}
      {errors.length > 0 && <Problems errors={errors} />}
      <TabLinks label="About this workflow" tabs={TABS} current={tab} />
      {tab === 'graph' && (
        <Suspense fallback={<Loading what="Loading the graph" />}>
          <Canvas workflow={workflow} chosen={task} onChoose={choose} />
        </Suspense>
      )}
      {tab === 'table' && <TaskTable workflow={workflow} onChoose={choose} />}
      {tab === 'schemas' && (
        <div className="columns">
          <JsonView label="Input" value={workflow.inputSchema ?? {}} />
          <JsonView label="Output" value={workflow.outputSchema ?? {}} />
        </div>
      )}
      {task !== undefined && chosen && (
        <section className="card" aria-label="Task">
          <div className="row">
            <h2>
              <code>{task}</code> {visibleText(chosen.summary ?? chosen.name)}
            </h2>
            <Button onPress={() => setUrl({ task: undefined })}>Close</Button>
          </div>
          <JsonView label="Variables" value={chosen.variables ?? {}} />
        </section>
      )}
    </>
  );
}

function Problems({ errors }: { errors: NonNullable<Workflow['errors']> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="note" data-tone="warn" aria-label="Problems">
      <p className="row">
        This is a draft: {errors.length} {errors.length === 1 ? 'problem' : 'problems'} must be solved before
        it runs.
        <Button onPress={() => setOpen(!isOpen)}>{isOpen ? 'Hide' : 'Show'}</Button>
      </p>
      {isOpen && (
        <ul>
          {errors.map(({ task, name, message }) => (
            <li key={`${task} ${name} ${message}`}>
              {task && <code>{task}</code>} {visibleText(message ?? '')}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
