import { WORKFLOW_READ } from '#server/kernel/roles.ts';
import { OWN_DATA, operation } from './operations.ts';
import {
  ANY,
  FLAG,
  LIST,
  NOT_NULL,
  NUMBER,
  needs,
  OBJECT,
  outgoingSchema,
  TEXT,
  takes,
  taskOf,
} from './task-type.ts';

const APP = 'WorkFlowEngine';
const step = { type: 'operation' } as const;

/** Names of the comparisons that an evaluation may use (contract/engines#task-details); others are rejected. */
export const COMPARISONS = ['contains', '!contains', '<', '<=', '>', '>=', '==', '!='];

/** How a childJob processes its elements: no loop, sequentially, or in parallel. */
export const LOOP_TYPES = ['', 'sequential', 'parallel'];

/** Tasks that control the flow of a job and its variables. */
export const FLOW = [
  taskOf(APP, 'evaluation', {
    ...step,
    summary: 'Evaluate conditions',
    description: 'Compares values and finishes with success when the conditions are met, else with failure',
    incoming: {
      all_true_flag: takes(FLAG, 'True: every group must be met; false: one is enough', false),
      evaluation_groups: needs(LIST, 'Groups of comparisons, each with its own flag'),
    },
    outgoing: { return_value: outgoingSchema(FLAG, 'Whether the conditions are met', true) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'query', {
    ...step,
    summary: 'Query data',
    description:
      'Extracts a part of a JSON value; finishes with failure when it finds nothing and null is not passed on',
    incoming: {
      pass_on_null: takes(FLAG, 'True: finding nothing is a success and returns null', false),
      query: takes(TEXT, 'Path to the part; empty: the whole value', 'interfaces[0].name'),
      obj: needs(OBJECT, 'Value to search', { name: 'value' }),
    },
    outgoing: { return_data: outgoingSchema(ANY, 'The value found', 'value') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'merge', {
    ...step,
    summary: 'Merge data',
    description: 'Makes one object of several values, each under a key; a key that occurs twice holds a list',
    incoming: { data_to_merge: needs(LIST, 'Entries `{key, value: {task, variable}}`, two or more') },
    outgoing: { merged_object: outgoingSchema(OBJECT, 'The object', { site: 'oslo' }) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'deepmerge', {
    ...step,
    summary: 'Merge objects deeply',
    description: 'Merges objects, and objects in them likewise; later values replace earlier ones',
    incoming: { data_to_merge: needs(LIST, 'Entries `{key, value: {task, variable}}`, two or more') },
    outgoing: { merged_object: outgoingSchema(OBJECT, 'The object', { site: { name: 'oslo' } }) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'newVariable', {
    ...step,
    summary: 'Set a job variable',
    description: 'Sets a variable of the job',
    incoming: {
      name: needs(TEXT, 'Name of the variable', 'status'),
      value: takes(ANY, 'Its value', 'done'),
    },
    outgoing: { value: outgoingSchema(ANY, 'The value', 'done') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'transformation', {
    ...step,
    summary: 'Run a transformation',
    description:
      'Transforms data with a stored transformation; the results have the names that the transformation declares',
    incoming: {
      tr_id: needs(TEXT, 'Id of the transformation', '65f0c1d2e3a4b5c6d7e8f901'),
      variableMap: takes(OBJECT, 'Value for each input of the transformation, by name'),
      options: takes(OBJECT, 'extractOutput, validateIncoming, revertToDefaultValue'),
    },
    outgoing: {},
    effect: 'read',
    requires: [operation('Transformations.runTransformation', WORKFLOW_READ)],
  }),
  taskOf(APP, 'childJob', {
    ...step,
    summary: 'Run a workflow as child jobs',
    description:
      'Runs another workflow, once or for each element of a list, and waits until all child jobs have finished',
    incoming: {
      task: takes(TEXT, 'Source of the list, on the canvas'),
      workflow: needs(TEXT, 'Name of the workflow', 'Check a port'),
      variables: takes(OBJECT, 'Variables of the child job: `{task, value}` by name'),
      data_array: takes(LIST, 'List of elements; each one holds the variables of a child job'),
      transformation: takes(TEXT, 'Id of a transformation that returns the variables of each element'),
      loopType: takes(
        TEXT,
        'Empty: one child job; sequential or parallel: one for each element',
        'sequential',
      ),
      timeLimit: takes(NUMBER, 'Time limit of a child job in seconds, after which it is canceled', 600),
    },
    outgoing: { job_details: outgoingSchema(OBJECT, 'Variables of the child job, or `{loop: [...]}`') },
    effect: 'wait',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'forEach', {
    ...step,
    summary: 'Repeat for each element',
    description: 'Runs the tasks of its loop transition once for each element of a list',
    incoming: { data_array: needs(LIST, 'Elements', ['edge-1', 'edge-2']) },
    outgoing: { current_item: outgoingSchema(ANY, 'The element of this iteration', 'edge-1') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'push', {
    ...step,
    summary: 'Append to a job variable',
    description: 'Appends an item to the list in a variable of the job',
    incoming: {
      job_variable: needs(TEXT, 'Name of the variable', 'results'),
      item_to_push: takes(ANY, 'The item to append', 'edge-1'),
    },
    outgoing: { job_variable_value: outgoingSchema(LIST, 'The list after the change') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  ...(['pop', 'shift'] as const).map((name) =>
    taskOf(APP, name, {
      ...step,
      summary: `Take the ${name === 'pop' ? 'last' : 'first'} item of a job variable`,
      description: `Removes the ${name === 'pop' ? 'last' : 'first'} item of the list in a variable of the job`,
      incoming: { job_variable: needs(TEXT, 'Name of the variable', 'results') },
      outgoing: { item: outgoingSchema(ANY, 'The item; null when the list is empty', 'edge-1') },
      effect: 'pure',
      requires: OWN_DATA,
    }),
  ),
  taskOf(APP, 'modify', {
    ...step,
    summary: 'Replace a part of a value',
    description: 'Replaces the part of a value that a query finds',
    incoming: {
      object_to_update: needs(NOT_NULL, 'Value to change'),
      query: takes(TEXT, 'Path to the part; empty: the whole value', 'site.name'),
      new_value: takes(ANY, 'The replacement', 'bergen'),
    },
    outgoing: { updated_object: outgoingSchema(NOT_NULL, 'The value after the change') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'decision', {
    ...step,
    summary: 'Compare two values',
    description:
      'Compares two values and finishes with success when the comparison is true, else with failure',
    incoming: {
      operand_1: needs(ANY, 'Left value', 5),
      operator: needs(TEXT, 'Comparison', '==', { enum: [...COMPARISONS] }),
      operand_2: needs(ANY, 'Right value', 5),
    },
    outgoing: { return_value: outgoingSchema(FLAG, 'Whether the comparison is true', true) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'validateJsonSchema', {
    ...step,
    summary: 'Validate data against a schema',
    description: 'Finishes with success when the data is valid against the JSON schema, else with failure',
    incoming: {
      schema: needs(OBJECT, 'JSON schema', { type: 'object' }),
      data: needs(ANY, 'Data to validate', {}),
    },
    outgoing: {
      valid: outgoingSchema(FLAG, 'Whether the data is valid', true),
      errors: outgoingSchema(LIST, 'The validation errors'),
    },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'delay', {
    displayName: 'Tools',
    summary: 'Wait',
    description: 'Waits for a number of seconds',
    incoming: { time: needs(NUMBER, 'Seconds', 30) },
    outgoing: { time_in_milliseconds: outgoingSchema(NUMBER, 'The time waited, in milliseconds', 30000) },
    effect: 'wait',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'stub', {
    displayName: 'Tools',
    summary: 'Stub a task',
    description: 'Waits, returns a response, and finishes as configured: for drafts and tests',
    incoming: {
      type: takes(TEXT, 'The transition that follows', 'success', { enum: ['success', 'failure', 'error'] }),
      delay: takes(NUMBER, 'Seconds', 1),
      response: takes(ANY, 'The response to return'),
    },
    outgoing: { response: outgoingSchema(ANY, 'The response') },
    effect: 'wait',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'updateJobDescription', {
    ...step,
    summary: 'Describe the job',
    description: 'Sets the description of the running job',
    incoming: { description: needs(TEXT, 'The description', 'Upgrade of edge-1') },
    outgoing: {},
    effect: 'pure',
    requires: OWN_DATA,
  }),
];
