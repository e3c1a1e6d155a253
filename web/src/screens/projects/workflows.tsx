import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { projectPath, workflowPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

const COLUMNS: Column<Workflow>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id = '', name = '' }) => <Link to={workflowPath(_id)}>{visibleText(name)}</Link>,
    text: ({ name }) => name,
  },
  {
    key: 'project',
    header: 'Project',
    cell: ({ namespace }) =>
      namespace?._id && (
        <Link to={projectPath(namespace._id)}>{visibleText(namespace.name ?? namespace._id)}</Link>
      ),
    text: ({ namespace }) => namespace?.name,
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ errors = [] }) =>
      errors.length > 0 ? <Badge tone="warn">draft</Badge> : <Badge tone="good">ready</Badge>,
    text: ({ errors = [] }) => (errors.length > 0 ? 'draft' : 'ready'),
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description }) => visibleText(description ?? ''),
    text: ({ description }) => description,
  },
  {
    key: 'updated',
    header: 'Changed',
    sortField: 'last_updated',
    cell: ({ last_updated }) => <Time value={last_updated} />,
    text: ({ last_updated }) => last_updated,
  },
];

/** All workflows, in projects and outside of them. */
export function Workflows() {
  const [url] = useUrlState();
  const input = listInput(url, 'name', { field: 'name', order: 1 });
  return (
    <ListView
      title="Workflows"
      columns={COLUMNS}
      rowKey={({ _id = '' }) => _id}
      path={trpc.automationStudio.listWorkflows.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { items, total } = await api.automationStudio.listWorkflows.query({
          // A summary: the tasks are read with one workflow.
          queryOptions: { ...input, skip, limit, exclude: 'tasks,transitions' },
        });
        return { rows: items, total };
      }}
      empty={
        <Empty title="There is no workflow yet">
          <p>Import a project or a prebuilt that has some.</p>
        </Empty>
      }
    />
  );
}
