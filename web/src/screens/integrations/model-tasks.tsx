import { api, type Outputs, trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Task = Outputs['integrationModels']['listTasks']['results'][number];

const EFFECTS: Record<Task['effect'], { tone: Tone; label: string }> = {
  read: { tone: 'good', label: 'reads' },
  keyed: { tone: 'info', label: 'changes, may be repeated' },
  unsafe: { tone: 'warn', label: 'changes, must not be repeated' },
};

const COLUMNS: Column<Task>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ name, deprecated }) => (
      <span>
        <code>{visibleText(name)}</code> {deprecated && <Badge tone="warn">deprecated</Badge>}
      </span>
    ),
    text: ({ name }) => name,
  },
  {
    key: 'operation',
    header: 'Operation',
    cell: ({ method, path }) => <code>{visibleText(`${method.toUpperCase()} ${path}`)}</code>,
    text: ({ method, path }) => `${method} ${path}`,
  },
  {
    key: 'summary',
    header: 'Summary',
    cell: ({ summary }) => visibleText(summary),
    text: ({ summary }) => summary,
  },
  {
    key: 'tags',
    header: 'Tags',
    cell: ({ tags }) => visibleText(tags.join(', ')),
    text: ({ tags }) => tags.join(', '),
  },
  {
    key: 'effect',
    header: 'Effect',
    cell: ({ effect }) => <Badge tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Badge>,
    text: ({ effect }) => EFFECTS[effect].label,
  },
];

/** The tasks of a model: one for each operation that it describes. */
export function ModelTasks({ model }: { model: string }) {
  const [{ q }] = useUrlState();
  const input = { name: model, ...(q && { search: q }) };
  return (
    <ListView
      title="Tasks"
      columns={COLUMNS}
      rowKey={({ name }) => name}
      path={trpc.integrationModels.listTasks.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { results, total } = await api.integrationModels.listTasks.query({ ...input, skip, limit });
        return { rows: results, total };
      }}
      empty={<Empty title="The model describes no operation" />}
    />
  );
}
