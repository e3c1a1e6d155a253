import { JOB_START, STUDIO_READ } from '#server/kernel/roles.ts';
import { OWN_DATA, operation } from './operations.ts';
import { ANY, COUNT, LIST, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from './task-type.ts';

const names = { items: { type: TEXT, examples: ['edge-1'] } };
const results = outgoingSchema(OBJECT, 'Result of each rule and command', undefined, {
  properties: {
    name: { type: TEXT },
    all_pass_flag: { type: 'boolean' },
    result: { type: 'boolean' },
    commands_results: { type: LIST },
  },
});

/** Tasks that run command templates and commands on devices, and compare their output (docs/mop.md). */
export const MOP = [
  taskOf('MOP', 'RunCommandTemplate', {
    summary: 'Run a command template',
    description: 'Runs the commands of a template on devices and checks the responses against its rules',
    incoming: {
      template: needs(TEXT, 'Name of the command template', 'Check version'),
      variables: takes(OBJECT, 'Values for the commands and rules', { version: '17.9' }, { properties: {} }),
      devices: needs(LIST, 'Names of devices and device groups', undefined, names),
    },
    outgoing: { mop_template_results: results },
    effect: 'read',
    requires: [operation('Mop.runCommandTemplate', JOB_START)],
  }),
  taskOf('MOP', 'RunCommandTemplateSingleCommand', {
    summary: 'Run one command of a template',
    description: 'Runs one command of a template on devices and checks the responses against its rules',
    incoming: {
      templateId: needs(TEXT, 'Name of the command template', 'Check version'),
      commandIndex: needs(COUNT, 'Index of the command, counted from 0', 0),
      variables: takes(OBJECT, 'Values for the command and its rules', { version: '17.9' }),
      devices: needs(LIST, 'Names of devices and device groups', undefined, names),
    },
    outgoing: { mop_template_results: results },
    effect: 'read',
    requires: [operation('Mop.runCommandTemplateSingleCommand', JOB_START)],
  }),
  taskOf('MOP', 'runAnalyticsTemplate', {
    summary: 'Compare responses before and after a change',
    description: 'Compares the responses of two runs by the rules of an analytic template',
    incoming: {
      pre: needs(OBJECT, 'Results before the change'),
      post: needs(OBJECT, 'Results after the change'),
      analytic_template_name: needs(TEXT, 'Name of the analytic template', 'Routes kept'),
      variables: takes(OBJECT, 'Values for the rules', {}),
    },
    outgoing: { analytic_result: outgoingSchema(OBJECT, 'Result of each rule') },
    effect: 'read',
    requires: [operation('Mop.runAnalyticsTemplate', JOB_START)],
  }),
  taskOf('MOP', 'runAnalyticsTemplateDevices', {
    summary: 'Compare responses of several devices before and after a change',
    description: 'Compares the responses of each device in two runs by the rules of an analytic template',
    incoming: {
      pre: needs(OBJECT, 'Results before the change'),
      post: needs(OBJECT, 'Results after the change'),
      analytic_template_name: needs(TEXT, 'Name of the analytic template', 'Routes kept'),
      variables: takes(OBJECT, 'Values for the rules', {}),
    },
    outgoing: { analytic_result: outgoingSchema(OBJECT, 'Result of each rule') },
    effect: 'read',
    requires: [operation('Mop.runAnalyticsTemplateDevices', JOB_START)],
  }),
  taskOf('MOP', 'RunCommand', {
    summary: 'Send a command to a device',
    description: 'Sends a command to a device and returns its response',
    incoming: {
      command: needs(TEXT, 'The command', 'show version'),
      variables: takes(OBJECT, 'Values for the command', {}),
      device: needs(TEXT, 'Name of the device', 'edge-1'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'The command and the response of the device') },
    effect: 'read',
    requires: [operation('Mop.runCommand', JOB_START)],
  }),
  taskOf('MOP', 'RunCommandDevices', {
    summary: 'Send a command to devices',
    description: 'Sends a command to devices and returns the response of each one',
    incoming: {
      command: needs(TEXT, 'The command', 'show version'),
      variables: takes(OBJECT, 'Values for the command', {}),
      devices: needs(LIST, 'Names of devices and device groups', undefined, names),
    },
    outgoing: { results: outgoingSchema(LIST, 'An entry for each device') },
    effect: 'read',
    requires: [operation('Mop.runCommandDevices', JOB_START)],
  }),
  taskOf('MOP', 'listATemplate', {
    summary: 'Read a command template',
    description: 'Returns a stored command template',
    incoming: { name: needs(TEXT, 'Name of the command template', 'Check version') },
    outgoing: { template: outgoingSchema(OBJECT, 'The template') },
    effect: 'read',
    requires: [operation('Mop.listATemplate', STUDIO_READ)],
  }),
  taskOf('MOP', 'listAnAnalyticTemplate', {
    summary: 'Read an analytic template',
    description: 'Returns a stored analytic template',
    incoming: { name: needs(TEXT, 'Name of the analytic template', 'Routes kept') },
    outgoing: { template: outgoingSchema(OBJECT, 'The template') },
    effect: 'read',
    requires: [operation('Mop.listAnAnalyticTemplate', STUDIO_READ)],
  }),
  taskOf('MOP', 'reattempt', {
    summary: 'Allow another attempt',
    description: 'Waits and finishes with success until the attempts are used up, then with error',
    incoming: {
      job_id: needs(TEXT, 'Id of the job', '65f0c1d2e3a4b5c6d7e8f901'),
      attemptID: needs(TEXT, 'Name of the counter', 'connect'),
      minutes: needs(COUNT, 'Minutes between attempts', 1),
      attempts: needs(COUNT, 'Maximum number of attempts', 2),
    },
    outgoing: { response: outgoingSchema(ANY, 'Number of attempts so far') },
    effect: 'wait',
    requires: OWN_DATA,
  }),
];
