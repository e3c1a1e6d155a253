import { OWN_DATA } from './operations.ts';
import { ANY, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from './task-type.ts';

const manual = { type: 'manual', effect: 'wait', requires: OWN_DATA } as const;

/** Tasks that wait for a user. */
export const MANUAL_TASKS = [
  taskOf('WorkFlowEngine', 'ViewData', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ViewData',
    summary: 'Show data',
    description: 'Shows data and waits for one of two buttons, which finish it with success or failure',
    incoming: {
      header: takes(TEXT, 'Heading', 'Check failed'),
      message: takes(TEXT, 'Text below the heading', 'Try again?'),
      body: takes(ANY, 'Data to show'),
      variables: takes(ANY, 'Values for <!name!> in the texts', { device: 'edge-1' }),
      btn_success: takes(TEXT, 'Label of the button that finishes the task with success', 'Retry'),
      btn_failure: takes(TEXT, 'Label of the button that finishes the task with failure', 'Abort'),
    },
    outgoing: {},
  }),
  taskOf('WorkFlowEngine', 'ErrorHandling', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ErrorHandling',
    summary: 'View an error',
    description: 'Shows an error with its severity and waits for a decision',
    incoming: {
      error: takes(ANY, 'The error'),
      severity: takes(TEXT, 'Its weight', 'error', { enum: ['error', 'warning', 'info'] }),
      message: takes(TEXT, 'Text for the user', 'The device did not answer'),
    },
    outgoing: {},
  }),
  taskOf('WorkFlowEngine', 'ViewDiff', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ViewDiff',
    summary: 'Show a difference',
    description: 'Shows the differences between two values and waits for one of two buttons',
    incoming: {
      header: takes(TEXT, 'Heading', 'Configuration change'),
      message: takes(TEXT, 'Text below the heading', 'Apply it?'),
      left: takes(ANY, 'Value before', 'hostname edge-1'),
      right: takes(ANY, 'Value after', 'hostname edge-2'),
      variables: takes(ANY, 'Values for <!name!> in the texts', { device: 'edge-1' }),
      btn_success: takes(TEXT, 'Button that finishes it with success', 'Apply'),
      btn_failure: takes(TEXT, 'Button that finishes it with failure', 'Abort'),
    },
    outgoing: {},
  }),
  taskOf('ServiceCog', 'ViewTestService', {
    ...manual,
    view: '/service_management/task/ViewTestService',
    summary: 'Show a dry run',
    description: 'Shows what a dry run would change on which device and waits for a decision',
    incoming: { dry_run_results: needs(ANY, 'Result of testInstances or dryRunXML') },
    outgoing: { dry_run_results: outgoingSchema(ANY, 'The same result') },
  }),
  // Two spellings of one task: exports have either.
  ...['ShowJSONForm', 'ShowJsonForm'].map((name) =>
    taskOf('JsonForms', name, {
      ...manual,
      view: '/json-forms/task/ShowJSONForm',
      summary: 'Show a form',
      description: 'Shows a stored form and waits until a user submits it',
      incoming: {
        formId: needs(TEXT, 'Id or name of the form', 'Site data'),
        formData: takes(OBJECT, 'Initial values', { site: 'oslo' }),
      },
      outgoing: { export: outgoingSchema(OBJECT, 'The submitted values', { site: 'oslo' }) },
    }),
  ),
  taskOf('JsonForms', 'RenderJsonSchema', {
    ...manual,
    view: '/json-forms/task/RenderJsonSchema',
    summary: 'Show a schema as a form',
    description: 'Shows a form made from a JSON schema and waits until a user submits it',
    incoming: {
      jsonSchema: needs(OBJECT, 'Schema of the data', { type: 'object' }),
      uiSchema: takes(OBJECT, 'Layout of the form', {}),
      bindingSchema: takes(OBJECT, 'Source of the choices', {}),
      validationSchema: takes(OBJECT, 'Validation rules beyond the schema', {}),
      formData: takes(OBJECT, 'Initial values', {}),
    },
    outgoing: { export: outgoingSchema(OBJECT, 'The submitted values', { site: 'oslo' }) },
  }),
  taskOf('MOP', 'viewTemplateResults', {
    ...manual,
    view: '/mop/task/viewTemplateResults',
    summary: 'Show results of a command template',
    description: 'Shows which rules passed on which device and waits for a decision',
    incoming: { mop_template_results: needs(OBJECT, 'Results of RunCommandTemplate') },
    outgoing: {},
  }),
  taskOf('MOP', 'runTemplatesDiff', {
    ...manual,
    view: '/mop/task/runTemplatesDiff',
    summary: 'Compare two runs of a template',
    description: 'Shows the differences between two results and waits for a decision',
    incoming: {
      pre: needs(ANY, 'Results before the change'),
      post: needs(ANY, 'Results after the change'),
    },
    outgoing: {},
  }),
];
