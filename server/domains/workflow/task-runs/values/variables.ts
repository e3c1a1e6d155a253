import { ownField } from '#server/kernel/json/objects.ts';
import type { JobView, PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { bounded, named, orNull, type TaskInput, TaskInputError, text } from '../task-input.ts';

const newVariable: PureRun = (incoming) => {
  const name = named(incoming, 'name');
  const value = orNull(incoming, 'value');
  return { ...succeeded({ value }), variables: { [name]: value } };
};

/** Returns the list in the job variable that the task names; undefined when the variable does not exist. */
function listNamed(
  incoming: TaskInput,
  { variables }: JobView,
): { name: string; items: unknown[] | undefined } {
  const name = named(incoming, 'job_variable');
  const items = ownField(variables, name);
  if (items === undefined || items === null) return { name, items: undefined };
  if (!Array.isArray(items)) throw new TaskInputError('job_variable', `names ${name}, which is not a list`);
  return { name, items };
}

const push: PureRun = (incoming, job) => {
  const { name, items = [] } = listNamed(incoming, job);
  const longer = bounded('job_variable', [...items, orNull(incoming, 'item_to_push')]);
  return { ...succeeded({ job_variable_value: longer }), variables: { [name]: longer } };
};

const takingOne =
  (cut: (items: unknown[]) => { item: unknown; rest: unknown[] }): PureRun =>
  (incoming, job) => {
    const { name, items } = listNamed(incoming, job);
    if (!items) throw new TaskInputError('job_variable', `names ${name}, which the job does not have`);
    const { item, rest } = cut(items);
    return { ...succeeded({ item: item ?? null }), variables: { [name]: rest } };
  };

const pop = takingOne((items) => ({ item: items.at(-1), rest: items.slice(0, -1) }));
const shift = takingOne((items) => ({ item: items[0], rest: items.slice(1) }));

/** Checks the description; the engine writes it to the job. */
const updateJobDescription: PureRun = (incoming) => {
  text(incoming, 'description');
  return succeeded();
};

/** The runs of these tasks, by name. */
export const VARIABLE_RUNS: Readonly<Record<string, PureRun>> = {
  newVariable,
  pop,
  push,
  shift,
  updateJobDescription,
};
