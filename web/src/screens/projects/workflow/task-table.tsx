import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import type { Workflow } from './workflow-page.tsx';

type Task = NonNullable<Workflow['tasks']>[string] & {
  key: string;
  next: [string, { state: string; type: string }][];
};

/** Every task of a workflow with what follows it: the graph without a picture. */
export function TaskTable({ workflow, onChoose }: { workflow: Workflow; onChoose: (key: string) => void }) {
  const rows = Object.entries(workflow.tasks ?? {}).map(
    ([key, task]): Task => ({ ...task, key, next: Object.entries(workflow.transitions?.[key] ?? {}) }),
  );
  const columns: Column<Task>[] = [
    {
      key: 'summary',
      header: 'Task',
      cell: ({ key, summary, name }) => (
        <Button variant="quiet" onPress={() => onChoose(key)}>
          {visibleText(summary || name)}
        </Button>
      ),
    },
    { key: 'key', header: 'Key', cell: ({ key }) => <code>{key}</code> },
    { key: 'app', header: 'Application', cell: ({ app }) => visibleText(app ?? '') },
    { key: 'name', header: 'Method', cell: ({ name }) => visibleText(name) },
    { key: 'type', header: 'Kind', cell: ({ type }) => visibleText(type ?? '') },
    {
      key: 'next',
      header: 'Followed by',
      cell: ({ next }) => (
        <span className="row">
          {next.map(([to, { state, type }]) => (
            <Badge
              key={`${to} ${state}`}
              tone={state === 'success' ? 'good' : state === 'error' ? 'bad' : 'neutral'}
            >
              {state}
              {type === 'revert' ? ' (back)' : ''} → {to}
            </Badge>
          ))}
        </span>
      ),
    },
  ];
  return <DataTable label="Tasks" columns={columns} rows={rows} rowKey={({ key }) => key} />;
}
