import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { parseJsonFile } from '~/ui/file-field.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { Empty, ProblemNote } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';

type Task = Outputs['integrationModels']['listTasks']['results'][number];

/** How an operation is repeated after a lost connection, in the words of the platform. */
const EFFECTS: Record<Task['effect'], { tone: Tone; text: string }> = {
  read: { tone: 'good', text: 'reads' },
  keyed: { tone: 'info', text: 'writes, can be retried' },
  unsafe: { tone: 'warn', text: 'writes, never retried' },
};

/** The operations of a model; those of an integration can be tried by who may run them. */
export function ModelTasks({ model, integration }: { model: string; integration?: string }) {
  const may = useMay();
  const [{ q }] = useUrlState();
  const [tried, setTried] = useState<Task>();
  const columns: Column<Task>[] = [
    {
      key: 'name',
      header: 'Task',
      cell: ({ name }) => <code>{name}</code>,
      field: 'name',
    },
    { key: 'method', header: 'Method', cell: ({ method }) => method, field: 'method' },
    {
      key: 'path',
      header: 'Path',
      cell: ({ path }) => <code>{path}</code>,
      field: 'path',
    },
    {
      key: 'summary',
      header: 'Summary',
      cell: ({ summary }) => summary,
      field: 'summary',
    },
    {
      key: 'effect',
      header: 'Effect',
      cell: ({ effect }) => <Badge tone={EFFECTS[effect].tone}>{EFFECTS[effect].text}</Badge>,
      field: 'effect',
    },
  ];
  const trying: Column<Task>[] =
    integration !== undefined && may('integrations.testIntegration')
      ? [
          {
            key: 'try',
            header: 'Try',
            cell: (task) => (
              <Button variant="quiet" aria-label={`Try ${task.name}`} onPress={() => setTried(task)}>
                Try
              </Button>
            ),
          },
        ]
      : [];
  return (
    <section className="column" aria-label="Tasks of the model">
      <h2>Tasks</h2>
      <ListView<Task>
        title="Tasks"
        columns={[...columns, ...trying]}
        rowKey={({ name }) => name}
        path={trpc.integrationModels.listTasks.pathKey()}
        input={{ model, q }}
        request={{ name: model, ...(q && { search: q }) }}
        read={async (skip, limit) => {
          const { results, total } = await api.integrationModels.listTasks.query({
            name: model,
            skip,
            limit,
            ...(q && { search: q }),
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="The model has no task">
            <p>Its document describes no operation that can be called.</p>
          </Empty>
        }
      />
      {tried && integration && (
        <TryTask integration={integration} task={tried} onClose={() => setTried(undefined)} />
      )}
    </section>
  );
}

/** The values that every call of a path needs, each still empty, as JSON. */
const valuesOfPath = (path: string): string =>
  JSON.stringify(
    Object.fromEntries([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => [name, ''])),
    null,
    2,
  );

/** The answer of the other system to an operation. */
type Answer = { ok: boolean; status: number; url: string; body: unknown };

type TryTaskProps = { integration: string; task: Task; onClose: () => void };

/** Runs one task with values as JSON and shows the answer of the other system. */
function TryTask({ integration, task: { name: task, effect, method, path }, onClose }: TryTaskProps) {
  const [values, setValues] = useState(() => valuesOfPath(path));
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      const parsed = parseJsonFile(values);
      if ('problem' in parsed) throw new Error(parsed.problem.replace('The file', 'The text'));
      const given = parsed.value as Record<string, unknown>;
      // The task of a model: its result is the answer of the other system.
      setAnswer((await api.integrations.runTask.mutate({ integration, task, values: given })) as Answer);
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <Dialog title={`Try ${task}`} isOpen onClose={onClose} size="wide">
      {effect !== 'read' && (
        <p className="note" data-tone="warn">
          This operation changes the other system.
        </p>
      )}
      <p>
        <code>
          {method} {path}
        </code>
      </p>
      <TextArea
        label="Values as JSON"
        hint="Parameters by their names; requestBodyPayload is the body"
        value={values}
        onChange={setValues}
        isCode
      />
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      {answer && (
        <>
          <p role="status">
            <Badge tone={answer.ok ? 'good' : 'bad'}>{answer.status}</Badge> {answer.url}
          </p>
          <JsonView label="Answer" value={answer.body} />
        </>
      )}
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
        <Button variant="primary" onPress={run} isPending={isPending}>
          Run task
        </Button>
      </div>
    </Dialog>
  );
}
