import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { ownField } from '#server/kernel/json/objects.ts';
import { lookupWith } from '../adapter-tasks/adapter-types.ts';
import { isOurs } from '../tasks/catalogue.ts';
import type { TaskType } from '../tasks/task-type.ts';
import { faultsOf } from '../transformations/check.ts';
import type { Runnable } from '../transformations/compile.ts';
import type { Schema } from './schema-of-task.ts';
import { type Schemas, schemasOf } from './schemas.ts';
import { validate, type WorkflowFindings } from './validate.ts';
import type { ValidationAuthor, ValidationContext } from './validation-context.ts';

/** The documents that a workflow references and that were found, as data that can be sent to a thread. */
export type ReferencedDocuments = {
  /** The input schemas of the workflows that it runs as child jobs, by their names. */
  inputs: Readonly<Record<string, Schema>>;
  /** The transformations that it calls, by their ids. */
  transformations: Readonly<Record<string, Runnable>>;
};

/** A workflow, with the documents that its schemas depend on. */
export type SchemasRequest = {
  workflow: Pick<Workflow, 'tasks'>;
  named: ReferencedDocuments;
  /** Its tasks of adapter types. */
  adapterTasks: readonly TaskType[];
};

/** A workflow, with everything else that its findings depend on. */
export type FindingsRequest = {
  workflow: Pick<Workflow, 'tasks' | 'transitions'>;
  named: ReferencedDocuments;
  /** Its tasks of adapter types, as far as they exist. */
  adapterTasks: readonly TaskType[];
  /** Names of its adapter types that are known. */
  adapterTypes: readonly string[];
  /** Why no adapter can carry out a task, by the task's id. */
  adapterFaults: Readonly<Record<string, string>>;
  /** Adapters of the model Rest. */
  adapters: readonly string[];
  missing: ValidationContext['missing'];
  /** Reasons why transformations cannot run that will be stored together with the workflow, by their ids. */
  faultsOfComing?: Readonly<Record<string, readonly string[]>>;
  author?: ValidationAuthor;
};

/** Returns the schemas of a workflow. */
export const calculatedSchemas = ({ workflow, named, adapterTasks }: SchemasRequest): Schemas =>
  schemasOf(workflow, {
    task: lookupWith(adapterTasks),
    transformation: (id) => ownField(named.transformations, id),
    input: (name) => ownField(named.inputs, name),
  });

/** Returns the findings of a workflow. */
export const calculatedFindings = ({
  workflow,
  named,
  adapters,
  adapterTasks,
  adapterTypes,
  adapterFaults,
  faultsOfComing = {},
  ...around
}: FindingsRequest): WorkflowFindings =>
  validate(workflow, {
    task: lookupWith(adapterTasks),
    adapterTypes: new Set(adapterTypes),
    adapterFaults: new Map(Object.entries(adapterFaults)),
    hasApp: isOurs,
    input: (name) => ownField(named.inputs, name),
    adapters: new Set(adapters),
    faults: faultsIn(named.transformations, faultsOfComing),
    ...around,
  });

/** Returns a function that checks what prevents a transformation from running, each only once. */
function faultsIn(
  transformations: ReferencedDocuments['transformations'],
  coming: Readonly<Record<string, readonly string[]>>,
): (id: string) => readonly string[] {
  const known = new Map(Object.entries(coming));
  return (id) => {
    const document = known.has(id) ? undefined : ownField(transformations, id);
    const faults = known.get(id) ?? (document ? faultsOf(document) : []);
    known.set(id, faults);
    return faults;
  };
}
