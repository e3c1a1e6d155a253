import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { fieldIn, isObject } from '#server/kernel/json/objects.ts';
import { readsOf } from '../definitions/sources.ts';
import type { TaskType } from '../tasks/task-type.ts';
import { narrowest, type Schema, schemaOfValue } from './schema-of-task.ts';
import { incomingOf, tasksOf, type Use, writesOf } from './variables.ts';

/** Lookups for the types of incoming values and results; undefined where they are unknown. */
export type TaskTypes = {
  task: (app: string, name: string) => Pick<TaskType, 'incoming' | 'outgoing'> | undefined;
  /** Returns a transformation by its id, with its inputs and outputs, each named by its `$id`. */
  transformation: (id: string) => { incoming?: unknown; outgoing?: unknown } | undefined;
  /** Returns the input schema of a workflow, by its name. */
  input: (workflow: string) => Schema | undefined;
};

/** JSON schemas of the input and output of a run. */
export type Schemas = { inputSchema: Schema; outputSchema: Schema };

/** Fields that every job has (contract/resources#2.13). */
const OF_THE_JOB: Record<string, Schema> = {
  _id: { type: 'string', pattern: '^[0-9a-f]{24}$' },
  initiator: { type: 'string' },
};

/**
 * Returns the schemas of a workflow (contract/endpoints#4.23). The input consists of every job variable that some task
 * reads and no task sets, all of them required; the output of these, those that tasks set, and the fields of every job.
 */
export function schemasOf(workflow: Pick<Workflow, 'tasks'>, types: TaskTypes): Schemas {
  const reads = new Map<string, Schema[]>();
  const writes = new Map<string, Schema[]>();
  for (const [, task] of tasksOf(workflow)) {
    for (const use of writesOf(task)) addUse(writes, use, assignedType(use, types));
    for (const use of readsOf(task)) addUse(reads, use, typeTaken(use, types));
  }
  const input = new Map<string, Schema>();
  for (const [variable, found] of reads) {
    if (!writes.has(variable)) input.set(variable, narrowest(found));
  }
  const output = new Map(input);
  for (const [variable, found] of writes) output.set(variable, narrowest(found));
  for (const [variable, schema] of Object.entries(OF_THE_JOB)) output.set(variable, schema);
  return {
    inputSchema: { type: 'object', properties: Object.fromEntries(input), required: [...input.keys()] },
    outputSchema: { type: 'object', properties: Object.fromEntries(output) },
  };
}

/**
 * Returns a schema in which `required` is a list everywhere. Exports also have the older form, true or false at the property
 * itself, which makes a schema unusable: nothing would be checked.
 */
export function withListedRequired(schema: Schema): Schema {
  const { required, ...rest } = schema;
  const own = typeof required === 'boolean' ? rest : schema;
  if (!isObject(schema.properties)) return own;
  const fields = Object.entries(schema.properties);
  const named = fields.filter(([, one]) => isObject(one) && one.required === true).map(([name]) => name);
  const properties = Object.fromEntries(
    fields.map(([name, one]) => [name, isObject(one) ? withListedRequired(one) : one]),
  );
  if (named.length === 0) return { ...own, properties };
  const listed = Array.isArray(required) ? required : [];
  return { ...own, properties, required: [...new Set([...listed, ...named])] };
}

function addUse(uses: Map<string, Schema[]>, { variable }: Use, type: Schema | undefined): void {
  const known = uses.get(variable) ?? [];
  if (type) known.push(type);
  uses.set(variable, known);
}

/** Returns the schema that a use requires of the variable that it reads. */
function typeTaken({ variable, task, member, below }: Use, types: TaskTypes): Schema | undefined {
  // Tasks that change a list have the name of its variable: the schema of the name is not that of the list.
  if (member === 'job_variable' && incomingOf(task)[member] === variable) return { type: 'array' };
  if (below.length === 0) {
    const incoming = types.task(task.app ?? '', task.name)?.incoming ?? {};
    return Object.hasOwn(incoming, member) ? plain(incoming[member]?.schema) : undefined;
  }
  const [name] = below;
  if (below.length !== 1 || name === undefined) return undefined;
  const incoming = incomingOf(task);
  if (task.name === 'transformation' && member === 'variableMap') {
    return named(types.transformation(String(incoming.tr_id))?.incoming, name);
  }
  if (task.name === 'childJob' && member === 'variables') {
    const child = types.input(String(incoming.workflow));
    return fieldSchema(child?.properties, name);
  }
  return undefined;
}

/** Returns the schema of the value that a use assigns to a variable. */
function assignedType({ task, member, value }: Use, types: TaskTypes): Schema | undefined {
  if (member === 'error') return undefined;
  if (task.name === 'newVariable' && member === 'value') return schemaOfValue(value);
  if (task.name === 'transformation') return named(transformationOf(task, types)?.outgoing, member);
  return plain(fieldSchema(types.task(task.app ?? '', task.name)?.outgoing, member));
}

/** Returns a schema without its description, which applies to a single task only. */
function plain(schema: Schema | undefined): Schema | undefined {
  if (!schema) return undefined;
  const { description: _, ...rest } = schema;
  return rest;
}

const transformationOf = (task: Task, types: TaskTypes) =>
  types.transformation(String(incomingOf(task).tr_id));

const fieldSchema = (fields: unknown, name: string): Schema | undefined => {
  const found = fieldIn(fields, name);
  return isObject(found) ? found : undefined;
};

/** Returns the schema with the `$id` `name` among those of a transformation, without that `$id`. */
function named(schemas: unknown, name: string): Schema | undefined {
  if (!Array.isArray(schemas)) return undefined;
  const found: unknown = schemas.find((one) => isObject(one) && one.$id === name);
  if (!isObject(found)) return undefined;
  const { $id: _, ...schema } = found;
  return schema;
}
