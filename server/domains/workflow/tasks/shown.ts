import type { DetailedTask, ListedTask } from '#db/schemas/workflow/task-type.ts';
import type { Schema } from '../validation/schema-of-task.ts';
import type { TaskType } from './task-type.ts';

const headOf = ({
  name,
  app,
  canvasName,
  displayName,
  type,
  summary,
  description,
  view,
  ...more
}: TaskType) => ({
  name,
  app,
  canvasName,
  displayName,
  location: more.location ?? ('Application' as const),
  locationType: more.location ? app : null,
  type,
  summary,
  description,
  deprecated: more.deprecated ?? false,
  ...(view !== undefined && { view }),
});

const map = <From, To>(members: Record<string, From>, change: (one: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, change(one)]));

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns type and description of a value; a schema of a document may have neither. */
const shown = ({ type, description }: Schema) => ({
  ...((isText(type) || (Array.isArray(type) && type.every(isText))) && { type }),
  ...(isText(description) && { description }),
});

/** Returns a task as the list of the canvas shows it (contract/lifecycle#5.3). */
export const listedTask = (task: TaskType): ListedTask => ({
  ...headOf(task),
  variables: {
    incoming: map(task.incoming, ({ schema, required }) => ({ ...shown(schema), required })),
    outgoing: map(task.outgoing, shown),
  },
});

/** Returns a task in full, as a single read shows it. */
export const detailedTask = (task: TaskType): DetailedTask => ({
  ...headOf(task),
  variables: {
    incoming: map(task.incoming, ({ schema, required }) => ({ ...shown(schema), required, schema })),
    outgoing: map(task.outgoing, (schema) => ({ ...shown(schema), schema })),
  },
});
