import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { projectPath, workflowPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { PathLink } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { nameText, projectOf } from '~/ui/visible-text.ts';

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number] & {
  /** The project of which it is a part; undefined also where the account may not read it. */
  project?: Pick<Outputs['automationStudio']['listProjects']['data'][number], '_id' | 'name'>;
};

const isDraft = ({ errors }: Workflow) => Array.isArray(errors) && errors.length > 0;

const COLUMNS: Column<Workflow>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name = '' }) => <Link {...workflowPath(String(_id))}>{nameText(name ?? '')}</Link>,
    field: 'name',
  },
  {
    key: 'project',
    header: 'Project',
    cell: ({ name, project }) => {
      if (project) return <Link {...projectPath(project._id)}>{project.name ?? ''}</Link>;
      return projectOf(name ?? '') && <span className="muted">a project</span>;
    },
  },
  {
    key: 'state',
    header: 'State',
    cell: (workflow) =>
      isDraft(workflow) ? <Badge tone="warn">draft</Badge> : <Badge tone="good">can run</Badge>,
    field: 'errors.length:Errors',
  },
  DESCRIPTION,
  {
    key: 'lastUpdated',
    header: 'Changed',
    sortField: 'last_updated',
    cell: ({ last_updated }) => <Time value={last_updated} />,
    field: 'last_updated',
  },
];

/** Returns workflows with the names of their projects, read with one request. */
async function withProjects(workflows: readonly Workflow[]): Promise<Workflow[]> {
  const ids = new Set(workflows.flatMap(({ name }) => projectOf(name ?? '') ?? []));
  if (ids.size === 0) return [...workflows];
  const { data } = await api.automationStudio.listProjects.query({
    queryOptions: { in: { _id: [...ids] }, include: 'name', limit: ids.size },
  });
  return workflows.map((workflow) => {
    const project = data.find(({ _id }) => _id === projectOf(workflow.name ?? ''));
    return project ? { ...workflow, project } : workflow;
  });
}

/** The workflows that the account may read, with those of projects. */
export function WorkflowsPage() {
  const may = useMay();
  const [{ q, sort }] = useUrlState();
  const order = sortOf(sort) ?? { field: 'name', order: 1 };
  const input = {
    ...(q && { contains: { name: q } }),
    sort: order.field,
    order: order.order,
    exclude: 'tasks,transitions',
  };
  return (
    <ListPage
      title="Workflows"
      pathTo={<PathLink to="/projects">Projects</PathLink>}
      columns={COLUMNS}
      rowKey={({ _id }) => String(_id)}
      path={trpc.automationStudio.listWorkflows.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { items, total } = await api.automationStudio.listWorkflows.query({
          queryOptions: { ...input, skip, limit },
        });
        const mayReadProjects = may('automationStudio.listProjects');
        return { rows: mayReadProjects ? await withProjects(items) : items, total };
      }}
      empty={
        <Empty title="No workflow yet">
          <p>Import a project or a prebuilt: its workflows appear here.</p>
          {may('automationStudio.listProjects') && <LinkButton to="/projects">Projects</LinkButton>}
        </Empty>
      }
    />
  );
}
