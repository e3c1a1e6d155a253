import * as orchestrators from '#server/domains/network/index.ts';
import { isAbsent } from '#server/kernel/json/objects.ts';
import type { EffectRun, TaskOutcome } from '../tasks/outcome.ts';
import { broken, succeeded } from './finish.ts';
import { deviceContextOf } from './task-contexts.service.ts';
import { named, object, optional, type TaskInput, TaskInputError, text } from './task-input.ts';

const JSON_TYPE = 'application/yang-data+json';

/** Returns the request to the orchestrator; fields that a merge left null count as absent. */
function requestOf(incoming: TaskInput) {
  const params = object(incoming, 'params');
  const field = <Fallback>(name: string, fallback: Fallback): string | Fallback => {
    const value = params[name];
    if (isAbsent(value)) return fallback;
    if (typeof value !== 'string') throw new TaskInputError(`params.${name}`, 'must be a string');
    return value;
  };
  const path = field('path', null);
  if (path === null) throw new TaskInputError('params.path', 'is missing');
  return {
    path,
    accept: field('accept', JSON_TYPE),
    method: field('method', undefined),
    contentType: field('contentType', undefined),
  };
}

const restAction: EffectRun = async (incoming, world) => {
  const adapter = named(incoming, 'adapterId');
  const result = await orchestrators.restAction(
    await deviceContextOf(world),
    adapter,
    requestOf(incoming),
    optional(object, incoming, 'body', {}),
  );
  const rejected = result.find(({ result: status }) => Number(status) >= 400);
  return rejected ? rejection(adapter, rejected.result, { result }) : succeeded({ result });
};

/** Returns the outcome for an error response: the job follows the error transition and still has the response. */
const rejection = (adapter: string, status: string, outgoing: TaskOutcome['outgoing']): TaskOutcome => ({
  ...broken(`${adapter} responded with status ${status}`, { status: Number(status), ...outgoing }),
  outgoing,
});

const restQuery: EffectRun = async (incoming, world) =>
  succeeded(await orchestrators.restQuery(world, named(incoming, 'adapterId'), requestOf(incoming)));

const validateCommit: EffectRun = async (incoming, world) => {
  const data = object(incoming, 'serviceData');
  return succeeded({
    result: await orchestrators.validateCommit(world, text(incoming, 'servicePath'), data),
  });
};

/** The runs of these tasks, by application and name. */
export const ORCHESTRATOR_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'OrchestratorManager.restAction': restAction,
  'OrchestratorManager.restQuery': restQuery,
  'OrchestratorManager.validateCommit': validateCommit,
};
