import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { workPath } from '~/app/paths.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { isOver, type Job, taskTitle } from '../job-state.tsx';
import { edgesBy, edgesOf } from '../task-order.ts';
import type { TaskProps } from './task-panel.tsx';

/** What can be done at one task: finish it by hand, retry it, continue or go back from it. */
export function TaskActions({ job, jobId, id, task }: TaskProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'retry' | 'continue' | 'revert'>();
  const close = () => setAsked(undefined);
  const done = async (message: string) => {
    showToast(message);
    await queryClient.invalidateQueries(trpc.operationsManager.getJob.queryFilter({ jobId }));
  };
  const before = useMemo(() => earlierThan(job, id), [job, id]);
  if (isOver(job)) return null;
  const title = taskTitle(id, task);
  const iteration = task.iterations?.at(-1);
  const canContinue = task.status !== 'running' && task.status !== 'complete' && id !== 'workflow_start';
  const canRevert = task.status !== 'incomplete' && before.length > 0;
  return (
    <div className="row">
      {task.type === 'manual' && task.status === 'running' && iteration && (
        <LinkButton {...workPath(iteration)} variant="primary">
          Work on it
        </LinkButton>
      )}
      {task.status === 'error' && may('operationsManager.retryTask') && (
        <Button variant="primary" onPress={() => setAsked('retry')}>
          Retry
        </Button>
      )}
      {canContinue && may('operationsManager.continueJob') && (
        <Button onPress={() => setAsked('continue')}>Continue from here</Button>
      )}
      {canRevert && may('operationsManager.revertJob') && (
        <Button onPress={() => setAsked('revert')}>Revert from here</Button>
      )}
      {asked === 'retry' && (
        <RetryDialog
          jobId={jobId}
          id={id}
          title={title}
          incoming={task.variables?.incoming ?? {}}
          onClose={close}
          onDone={done}
        />
      )}
      <FormDialog
        title={`Continue at ${title}?`}
        action="Continue"
        isOpen={asked === 'continue'}
        onClose={close}
        onSubmit={async () => {
          await api.operationsManager.continueJob.mutate({ jobId, fromTask: id });
          await done('The job continues');
        }}
      >
        <p>The tasks before it count as done. From then on the job has your rights.</p>
      </FormDialog>
      {asked === 'revert' && (
        <RevertDialog job={job} jobId={jobId} id={id} before={before} onClose={close} onDone={done} />
      )}
    </div>
  );
}

/** Returns the tasks from which transitions lead to a task, the nearest first. */
function earlierThan(job: Job, id: string): string[] {
  const into = edgesBy('to', edgesOf(job));
  const found = new Set<string>();
  const open = [id];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const { from } of into.get(next) ?? []) {
      if (from === 'workflow_start' || from === id || found.has(from)) continue;
      found.add(from);
      open.push(from);
    }
  }
  return [...found];
}

type DialogProps = {
  jobId: string;
  id: string;
  onClose: () => void;
  onDone: (message: string) => Promise<void>;
};

function RetryDialog({
  jobId,
  id,
  title,
  incoming,
  onClose,
  onDone,
}: DialogProps & { title: string; incoming: Record<string, unknown> }) {
  const [text, setText] = useState(() => JSON.stringify(incoming, null, 2));
  const { value, problem } = parseObject(text);
  const retry = async () => {
    // Only changed values are sent: changing them needs the acting account or an admin, a retry alone does not.
    const changed = Object.entries(value ?? {}).filter(
      ([name, one]) => JSON.stringify(one) !== JSON.stringify(incoming[name]),
    );
    const variables = Object.fromEntries(changed);
    await api.operationsManager.retryTask.mutate({
      jobId,
      taskId: id,
      ...(changed.length > 0 && { variables }),
    });
    await onDone('The task is tried again');
  };
  return (
    <FormDialog
      title={`Retry ${title}`}
      action="Retry"
      size="wide"
      isOpen
      onClose={onClose}
      onSubmit={retry}
      isReady={problem === undefined}
    >
      <JsonField
        label="Input"
        hint="What you change holds for this attempt. From then on the job has your rights."
        text={text}
        onChange={setText}
        rows={14}
      />
    </FormDialog>
  );
}

function RevertDialog({
  job,
  jobId,
  id,
  before,
  onClose,
  onDone,
}: DialogProps & { job: Job; before: readonly string[] }) {
  const [to, setTo] = useState(before[0] ?? '');
  return (
    <FormDialog
      title={`Revert from ${taskTitle(id, job.tasks?.[id])}`}
      action="Revert"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.operationsManager.revertJob.mutate({ jobId, fromTask: id, toTask: to });
        await onDone('The job goes back');
      }}
    >
      <SelectField
        label="Back to"
        hint="This task and everything after it run again, with your rights."
        value={to}
        onChange={setTo}
        choices={before.map((one) => ({
          value: one,
          label: taskTitle(one, job.tasks?.[one]),
        }))}
      />
    </FormDialog>
  );
}
