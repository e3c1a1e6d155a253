import { OWN_DATA } from './operations.ts';
import { ANY, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from './task-type.ts';

const manual = { type: 'manual', effect: 'wait', requires: OWN_DATA } as const;

/** Tasks that wait for a user. */
export const PEOPLE = [
  taskOf('WorkFlowEngine', 'ViewData', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ViewData',
    summary: 'Show data',
    description: 'Shows data and waits for one of two buttons, which finish it with success or failure',
    incoming: {
      header: takes(TEXT, 'Heading', 'Check failed'),
      message: takes(TEXT, 'Text below the heading', 'Try again?'),
      body: takes(ANY, 'What is shown'),
      variables: takes(ANY, 'Values for <!name!> in the texts', { device: 'edge-1' }),
      btn_success: takes(TEXT, 'Button that finishes it with success', 'Retry'),
      btn_failure: takes(TEXT, 'Button that finishes it with failure', 'Abort'),
    },
    outgoing: {},
  }),
  taskOf('WorkFlowEngine', 'ErrorHandling', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ErrorHandling',
    summary: 'Look into an error',
    description: 'Shows an error with its weight and waits for a decision',
    incoming: {
      error: takes(ANY, 'The error'),
      severity: takes(TEXT, 'Its weight', 'error', { enum: ['error', 'warning', 'info'] }),
      message: takes(TEXT, 'Text for the person', 'The device did not answer'),
    },
    outgoing: {},
  }),
  taskOf('WorkFlowEngine', 'ViewDiff', {
    ...manual,
    displayName: 'Tools',
    view: '/workflow_engine/task/ViewDiff',
    summary: 'Show a difference',
    description: 'Shows what differs between two values and waits for one of two buttons',
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
      description: 'Shows a stored form and waits until it is filled in',
      incoming: {
        formId: needs(TEXT, 'Id or name of the form', 'Site data'),
        formData: takes(OBJECT, 'Values that it shows at first', { site: 'oslo' }),
      },
      outgoing: { export: outgoingSchema(OBJECT, 'The values filled in', { site: 'oslo' }) },
    }),
  ),
  taskOf('JsonForms', 'RenderJsonSchema', {
    ...manual,
    view: '/json-forms/task/RenderJsonSchema',
    summary: 'Show a schema as a form',
    description: 'Shows a JSON schema as a form and waits until it is filled in',
    incoming: {
      jsonSchema: needs(OBJECT, 'What may be filled in', { type: 'object' }),
      uiSchema: takes(OBJECT, 'How it is shown', {}),
      bindingSchema: takes(OBJECT, 'Where choices come from', {}),
      validationSchema: takes(OBJECT, 'What is checked beyond the schema', {}),
      formData: takes(OBJECT, 'Values that it shows at first', {}),
    },
    outgoing: { export: outgoingSchema(OBJECT, 'The values filled in', { site: 'oslo' }) },
  }),
  taskOf('MOP', 'viewTemplateResults', {
    ...manual,
    view: '/mop/task/viewTemplateResults',
    summary: 'Show results of a command template',
    description: 'Shows which rules held on which device and waits for a decision',
    incoming: { mop_template_results: needs(OBJECT, 'Results of RunCommandTemplate') },
    outgoing: {},
  }),
  taskOf('MOP', 'runTemplatesDiff', {
    ...manual,
    view: '/mop/task/runTemplatesDiff',
    summary: 'Compare two runs of a template',
    description: 'Shows what differs between two results and waits for a decision',
    incoming: {
      pre: needs(ANY, 'Results before the change'),
      post: needs(ANY, 'Results after the change'),
    },
    outgoing: {},
  }),
];
