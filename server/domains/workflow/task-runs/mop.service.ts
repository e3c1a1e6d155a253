import {
  type RunInput,
  runAnalyticTemplate,
  runCommand,
  runCommandOnDevices,
  runSingleCommand,
  runTemplate,
  templateNamed,
} from '#server/domains/network/index.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { EffectRun, TaskEnvironment } from '../tasks/outcome.ts';
import { succeeded } from './finish.ts';
import { deviceContextOf } from './task-contexts.service.ts';
import { count, named, object, optional, required, type TaskInput, TaskInputError } from './task-input.ts';

/*
 * A check that does not pass is a success with `result` false, on which workflows branch by an evaluation; an error means
 * that the check could not be made.
 */

const originOf = ({ signal, key }: TaskEnvironment) => ({ signal, requestId: key });

const variablesIn = (incoming: TaskInput) => optional(object, incoming, 'variables', {});

/** Returns the names of devices and device groups, from a list or a single name. */
function devicesIn(incoming: TaskInput): string[] {
  const value = required(incoming, 'devices');
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.map((name, at) => {
    if (typeof name === 'string' && name !== '') return name;
    throw new TaskInputError(`devices.${at}`, 'must be the name of a device');
  });
}

const runCommandTemplate: EffectRun = async (incoming, world) => {
  const body = {
    template: named(incoming, 'template'),
    devices: devicesIn(incoming),
    variables: variablesIn(incoming),
  };
  return succeeded({
    mop_template_results: await runTemplate(await deviceContextOf(world), body, originOf(world)),
  });
};

const runCommandTemplateSingleCommand: EffectRun = async (incoming, world) => {
  const body = {
    templateId: named(incoming, 'templateId'),
    commandIndex: count(incoming, 'commandIndex'),
    devices: devicesIn(incoming),
    variables: variablesIn(incoming),
  };
  return succeeded({
    mop_template_results: await runSingleCommand(await deviceContextOf(world), body, originOf(world)),
  });
};

const runCommandTask: EffectRun = async (incoming, world) => {
  const body = {
    command: named(incoming, 'command'),
    device: named(incoming, 'device'),
    variables: variablesIn(incoming),
  };
  return succeeded({ result: await runCommand(await deviceContextOf(world), body, originOf(world)) });
};

const runCommandDevices: EffectRun = async (incoming, world) => {
  const body = {
    command: named(incoming, 'command'),
    devices: devicesIn(incoming),
    variables: variablesIn(incoming),
  };
  return succeeded({
    results: await runCommandOnDevices(await deviceContextOf(world), body, originOf(world)),
  });
};

/** Returns the result of a run that an earlier task returned. */
function runIn(incoming: TaskInput, name: string): RunInput {
  const run = object(incoming, name);
  const entries = run.commands_results ?? run.command_results;
  if (
    !Array.isArray(entries) ||
    !entries.every((entry) => isObject(entry) && typeof entry.raw === 'string')
  ) {
    throw new TaskInputError(
      name,
      'must be the complete result of RunCommandTemplate, with commands_results',
    );
  }
  return { commands_results: entries };
}

const comparing =
  (byDevice: boolean): EffectRun =>
  async (incoming, world) => {
    const body = {
      pre: runIn(incoming, 'pre'),
      post: runIn(incoming, 'post'),
      analytic_template_name: named(incoming, 'analytic_template_name'),
      variables: variablesIn(incoming),
    };
    return succeeded({
      analytic_result: await runAnalyticTemplate(await deviceContextOf(world), body, { byDevice }),
    });
  };

const runAnalyticsTemplate = comparing(false);
const runAnalyticsTemplateDevices = comparing(true);

const listATemplate: EffectRun = async (incoming, world) =>
  succeeded({
    template: await templateNamed(
      await deviceContextOf(world),
      'mopCommandTemplate',
      named(incoming, 'name'),
    ),
  });

const listAnAnalyticTemplate: EffectRun = async (incoming, world) =>
  succeeded({
    template: await templateNamed(
      await deviceContextOf(world),
      'mopAnalyticTemplate',
      named(incoming, 'name'),
    ),
  });

/** The runs of these tasks, by application and name. */
export const MOP_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'MOP.listAnAnalyticTemplate': listAnAnalyticTemplate,
  'MOP.listATemplate': listATemplate,
  'MOP.runAnalyticsTemplate': runAnalyticsTemplate,
  'MOP.runAnalyticsTemplateDevices': runAnalyticsTemplateDevices,
  'MOP.RunCommandDevices': runCommandDevices,
  'MOP.RunCommand': runCommandTask,
  'MOP.RunCommandTemplate': runCommandTemplate,
  'MOP.RunCommandTemplateSingleCommand': runCommandTemplateSingleCommand,
};
