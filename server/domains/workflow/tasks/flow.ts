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
    description: 'Compares values and finishes with success when the conditions hold, else with failure',
    incoming: {
      all_true_flag: takes(FLAG, 'True: every group must hold; false: one is enough', false),
      evaluation_groups: needs(LIST, 'Groups of comparisons, each with a flag of its own'),
    },
    outgoing: { return_value: outgoingSchema(FLAG, 'Whether the conditions hold', true) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'query', {
    ...step,
    summary: 'Query data',
    description: 'Takes a part out of a JSON value; failure when nothing is there and null is not passed on',
    incoming: {
      pass_on_null: takes(FLAG, 'True: finding nothing is a success that gives null', false),
      query: takes(TEXT, 'Path to the part; empty: the whole value', 'interfaces[0].name'),
      obj: needs(OBJECT, 'Value that is looked into', { name: 'value' }),
    },
    outgoing: { return_data: outgoingSchema(ANY, 'What was found', 'value') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'merge', {
    ...step,
    summary: 'Merge data',
    description: 'Makes one object of several values, each under a key; a key that comes twice holds a list',
    incoming: { data_to_merge: needs(LIST, 'Entries `{key, value: {task, variable}}`, two or more') },
    outgoing: { merged_object: outgoingSchema(OBJECT, 'The object', { site: 'oslo' }) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'deepmerge', {
    ...step,
    summary: 'Merge objects deeply',
    description: 'Lays objects over each other, objects inside likewise',
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
      'Makes new data of given data by a stored transformation; its results have the names it says',
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
    description: 'Runs another workflow, once or for each element of a list, and waits until all are done',
    incoming: {
      task: takes(TEXT, 'Where the list comes from, on the canvas'),
      workflow: needs(TEXT, 'Name of the workflow', 'Check a port'),
      variables: takes(OBJECT, 'Variables of the child job: `{task, value}` by name'),
      data_array: takes(LIST, 'Elements; each one is the variables of a child job'),
      transformation: takes(TEXT, 'Id of a transformation that makes the variables of each element'),
      loopType: takes(TEXT, 'Empty: one child job; sequential or parallel: one an element', 'sequential'),
      timeLimit: takes(NUMBER, 'Seconds that a child job may take; then it is canceled', 600),
    },
    outgoing: { job_details: outgoingSchema(OBJECT, 'Variables of the child job, or `{loop: [...]}`') },
    effect: 'wait',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'forEach', {
    ...step,
    summary: 'Repeat for each element',
    description: 'Runs the tasks behind its loop transition once for each element of a list',
    incoming: { data_array: needs(LIST, 'Elements', ['edge-1', 'edge-2']) },
    outgoing: { current_item: outgoingSchema(ANY, 'The element of this pass', 'edge-1') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'push', {
    ...step,
    summary: 'Append to a job variable',
    description: 'Appends an item to the list in a variable of the job',
    incoming: {
      job_variable: needs(TEXT, 'Name of the variable', 'results'),
      item_to_push: takes(ANY, 'What is appended', 'edge-1'),
    },
    outgoing: { job_variable_value: outgoingSchema(LIST, 'The list afterwards') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  ...(['pop', 'shift'] as const).map((name) =>
    taskOf(APP, name, {
      ...step,
      summary: `Take the ${name === 'pop' ? 'last' : 'first'} item of a job variable`,
      description: `Takes the ${name === 'pop' ? 'last' : 'first'} item out of the list in a variable of the job`,
      incoming: { job_variable: needs(TEXT, 'Name of the variable', 'results') },
      outgoing: { item: outgoingSchema(ANY, 'The item; null when the list is empty', 'edge-1') },
      effect: 'pure',
      requires: OWN_DATA,
    }),
  ),
  taskOf(APP, 'modify', {
    ...step,
    summary: 'Replace a part of a value',
    description: 'Replaces what a query finds in a value',
    incoming: {
      object_to_update: needs(NOT_NULL, 'Value that is changed'),
      query: takes(TEXT, 'Path to the part; empty: the whole value', 'site.name'),
      new_value: takes(ANY, 'What takes its place', 'bergen'),
    },
    outgoing: { updated_object: outgoingSchema(NOT_NULL, 'The changed value') },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'decision', {
    ...step,
    summary: 'Compare two values',
    description: 'Compares two values and finishes with success when the comparison holds, else with failure',
    incoming: {
      operand_1: needs(ANY, 'Left value', 5),
      operator: needs(TEXT, 'Comparison', '==', { enum: [...COMPARISONS] }),
      operand_2: needs(ANY, 'Right value', 5),
    },
    outgoing: { return_value: outgoingSchema(FLAG, 'Whether it holds', true) },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'validateJsonSchema', {
    ...step,
    summary: 'Check data against a schema',
    description: 'Finishes with success when the data meets the JSON schema, else with failure',
    incoming: {
      schema: needs(OBJECT, 'JSON schema', { type: 'object' }),
      data: needs(ANY, 'Data that is checked', {}),
    },
    outgoing: {
      valid: outgoingSchema(FLAG, 'Whether the data meets the schema', true),
      errors: outgoingSchema(LIST, 'What does not'),
    },
    effect: 'pure',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'delay', {
    displayName: 'Tools',
    summary: 'Wait',
    description: 'Waits for some seconds',
    incoming: { time: needs(NUMBER, 'Seconds', 30) },
    outgoing: { time_in_milliseconds: outgoingSchema(NUMBER, 'How long it was, in milliseconds', 30000) },
    effect: 'wait',
    requires: OWN_DATA,
  }),
  taskOf(APP, 'stub', {
    displayName: 'Tools',
    summary: 'Stand in for a task',
    description: 'Waits, gives a response, and finishes as it is told: for drafts and tests',
    incoming: {
      type: takes(TEXT, 'How it finishes', 'success', { enum: ['success', 'failure', 'error'] }),
      delay: takes(NUMBER, 'Seconds', 1),
      response: takes(ANY, 'What it gives'),
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
