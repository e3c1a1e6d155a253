import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useUnsaved } from '~/app/use-unsaved.ts';
import { Button } from '~/ui/button.tsx';
import { type FieldIssue, hasFields, issuesOf, SchemaForm } from '~/ui/form/schema-form.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';
import { type Controller, ManualView } from './manual-view.tsx';
import type { WorkItem } from './work-task-page.tsx';

type Data = Record<string, unknown>;
type FinishProps = { item: WorkItem; controller: Controller; isOpen: boolean };

const objectOf = (value: unknown): Data | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;

/** The form or view of a task with its buttons; a stored form is read first. */
export function FinishForm(props: FinishProps) {
  const { item, controller } = props;
  const { incoming } = controller;
  const isStored = item.name.toLowerCase() === 'showjsonform';
  const form = useQuery({
    ...trpc.jsonForms.getForm.queryOptions({ id: String(incoming.formId) }),
    enabled: isStored,
  });
  if (isStored) {
    return (
      <QueryView query={form} loading="Loading the form">
        {({ schema, uiSchema }) => <Finish {...props} schema={schema} uiSchema={uiSchema} />}
      </QueryView>
    );
  }
  if (item.name === 'RenderJsonSchema') {
    return (
      <Finish {...props} schema={objectOf(incoming.jsonSchema)} uiSchema={objectOf(incoming.uiSchema)} />
    );
  }
  return <Finish {...props} />;
}

type Finish = 'success' | 'failure';

function Finish({
  item,
  controller,
  isOpen,
  schema,
  uiSchema,
}: FinishProps & { schema?: Data | undefined; uiSchema?: Data | undefined }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [data, setData] = useState<Data>(() => objectOf(controller.incoming.formData) ?? {});
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [pending, setPending] = useState<Finish>();
  const [isTyped, setTyped] = useState(false);
  useUnsaved(() => isTyped && isOpen);
  const { job } = item;
  const transitions = useQuery(
    trpc.operationsManager.getJob.queryOptions({
      jobId: job._id,
      queryOptions: { include: `tasks.${job.task}.transitions` },
    }),
  ).data?.data.tasks?.[job.task]?.transitions;
  const { success, failure } = controller.buttons;
  const canFail = failure !== null || (success === null && (transitions?.failure?.length ?? 0) > 0);
  const isForm = schema !== undefined;
  const finish = async (state: Finish) => {
    setProblem(undefined);
    setIssues([]);
    setPending(state);
    try {
      if (schema && state === 'success') {
        const found = await issuesOf(schema, data);
        setIssues(found);
        if (found.length > 0) throw new Error('The form is not complete: see the marked fields.');
      }
      await api.operationsManager.finishTask.mutate({
        jobId: job._id,
        taskId: job.task,
        taskData: { finish_state: state, ...(isForm && { variables: { export: data } }) },
      });
      showToast('The task is finished');
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setPending(undefined);
    }
    // Whether it went well or another account was faster: the task is shown as it is now, and what was typed stays.
    await queryClient.invalidateQueries(trpc.operationsManager.getTask.queryFilter({ taskId: item._id }));
    await queryClient.invalidateQueries(trpc.operationsManager.listTasks.pathFilter());
  };
  return (
    <form
      className="card"
      aria-label="Task"
      onInput={() => setTyped(true)}
      // The service says what is missing, beside the fields.
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (isOpen && pending === undefined) void finish('success');
      }}
    >
      {isForm ? (
        hasFields(schema) && (
          <SchemaForm schema={schema} uiSchema={uiSchema} value={data} onChange={setData} issues={issues} />
        )
      ) : (
        <ManualView name={item.name} incoming={controller.incoming} />
      )}
      {problem && <ProblemNote problem={problem} />}
      {isOpen && may('operationsManager.finishTask') && (
        <div className="row">
          <Button type="submit" variant="primary" isPending={pending === 'success'}>
            {success ?? (isForm ? 'Submit' : 'Finish')}
          </Button>
          {canFail && (
            <Button isPending={pending === 'failure'} onPress={() => finish('failure')}>
              {failure ?? 'Fail'}
            </Button>
          )}
        </div>
      )}
    </form>
  );
}
