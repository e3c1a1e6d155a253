import { useMemo } from 'react';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Duration, Time } from '~/ui/time.tsx';
import { type Job, StateBadge, taskState, taskTitle } from './job-state.tsx';
import { type Step, spanOf, stepsOf } from './task-order.ts';

export type StepsProps = { job: Job; chosen: string | undefined; onChoose: (id: string) => void };

/** Opens and closes the panel of a task. */
export const TaskButton = ({ id, task, chosen, onChoose }: Omit<StepsProps, 'job'> & Step) => (
  <button type="button" className="task-button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
    {taskTitle(id, task)}
  </button>
);

/** Every task of a job as a table: the view for keyboards and screen readers. */
export function TaskTable({ job, chosen, onChoose }: StepsProps) {
  const steps = useMemo(() => stepsOf(job), [job]);
  const columns: Column<Step>[] = [
    {
      key: 'task',
      header: 'Task',
      width: '20rem',
      cell: ({ id, task }) => <TaskButton {...{ id, task, chosen, onChoose }} />,
    },
    { key: 'id', header: 'Id', width: '8rem', cell: ({ id }) => <code>{id}</code> },
    {
      key: 'state',
      header: 'State',
      width: '8rem',
      cell: ({ id, task }) => <StateBadge state={taskState(id, task, job)} />,
    },
    {
      key: 'start',
      header: 'Started',
      width: '8rem',
      cell: ({ task }) => <Time value={spanOf(task)?.start} />,
    },
    {
      key: 'duration',
      header: 'Duration',
      isNumber: true,
      width: '8rem',
      cell: ({ task }) => {
        const span = spanOf(task);
        return span ? <Duration {...span} /> : '–';
      },
    },
    {
      key: 'iterations',
      header: 'Iterations',
      isNumber: true,
      width: '7rem',
      cell: ({ task }) => task.iterations?.length ?? 0,
    },
    {
      key: 'operation',
      header: 'Operation',
      cell: ({ task }) => [task.app, task.name].filter(Boolean).join(' · '),
    },
  ];
  return <DataTable label="Tasks" columns={columns} rows={steps} rowKey={({ id }) => id} />;
}
