import * as orchestrators from '#server/domains/network/index.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { Edit } from '#server/southbound/orchestrator/ports.ts';
import type { EffectRun, TaskEnvironment, TaskOutcome } from '../../tasks/outcome.ts';
import { parsedFields } from '../devices.service.ts';
import { succeeded } from '../finish.ts';
import { callerFor } from '../task-contexts.service.ts';
import {
  flag,
  named,
  object,
  oneOf,
  required,
  shown,
  type TaskInput,
  TaskInputError,
  text,
} from '../task-input.ts';
import { auditEdit } from './audit.service.ts';
import { committedOutcome, triedOutcome, xmlOf } from './edits.ts';
import { adapterOf } from './orchestrator-devices.service.ts';

const ACTIONS = ['create', 'merge', 'replace', 'delete'] as const;

/** Returns the action in `options`. A commit is always synchronous, whatever `sync` says. */
function actionOf(incoming: TaskInput): (typeof ACTIONS)[number] {
  const { action = 'replace' } = parsedFields(incoming, 'options', { action: text, sync: flag });
  return oneOf({ 'options.action': action }, 'options.action', ACTIONS);
}

/** Returns the values of the keys of a list: one, or a list of them. @throws TaskInputError */
function keysOf(incoming: TaskInput): string[] {
  const value = required(incoming, 'value');
  return (Array.isArray(value) ? value : [value]).map((key) => {
    if (isObject(key) || shown(key) === '') throw new TaskInputError('value', 'must be the value of the key');
    return shown(key);
  });
}

/** Reads a service instance; the result has it in a list, under the model as the task names it. */
const getInstance: EffectRun = async (incoming, world) => {
  const model = named(incoming, 'model');
  const keys = keysOf(incoming);
  const adapter = await adapterOf(incoming, world);
  const found = await orchestrators.readInstance(world, adapter, model, keys);
  const [instances] = isObject(found) ? Object.values(found) : [];
  return succeeded({ result: { [model]: Array.isArray(instances) ? instances : [instances ?? null] } });
};

async function tried(incoming: TaskInput, world: TaskEnvironment, edit: Edit): Promise<TaskOutcome> {
  const adapter = await adapterOf(incoming, world);
  return triedOutcome(await orchestrators.editOrchestrator(world, adapter, edit, { dryRun: true }));
}

async function committed(
  incoming: TaskInput,
  world: TaskEnvironment,
  edit: Edit,
  what: string,
): Promise<TaskOutcome> {
  const caller = await callerFor(world);
  const adapter = await adapterOf(incoming, world);
  const verdict = await orchestrators.editOrchestrator(world, adapter, edit, { dryRun: false });
  await auditEdit(world, caller, { adapter, what, status: verdict.isValid ? 200 : 400 });
  return committedOutcome(adapter, verdict);
}

const testInstances: EffectRun = async (incoming, world) => {
  const instances = object(incoming, 'instance');
  return tried(incoming, world, { instances, action: actionOf(incoming) });
};

const saveInstances: EffectRun = async (incoming, world) => {
  const instances = object(incoming, 'instance');
  const action = actionOf(incoming);
  const what = `saveInstances ${action} ${Object.keys(instances).join(', ')}`;
  return committed(incoming, world, { instances, action }, what);
};

const dryRunXml: EffectRun = async (incoming, world) =>
  tried(incoming, world, { xml: xmlOf('payload', text(incoming, 'payload')) });

const provisionXml: EffectRun = async (incoming, world) => {
  const xml = xmlOf('payload', text(incoming, 'payload'));
  // An unknown option could ask for something less than a commit.
  const { action = 'merge' } = parsedFields(incoming, 'options', { action: text, sync: flag });
  if (action !== 'merge') throw new TaskInputError('options.action', 'must be merge');
  return committed(incoming, world, { xml }, 'provisionXML');
};

/** The runs of these tasks, by application and name. */
export const SERVICE_INSTANCE_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'NSO.dryRunXML': dryRunXml,
  'ServiceCog.getInstance': getInstance,
  'NSO.provisionXML': provisionXml,
  'ServiceCog.saveInstances': saveInstances,
  'ServiceCog.testInstances': testInstances,
};
