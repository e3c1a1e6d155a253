import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AdapterCall,
  type ApiAnswer,
  callOperation,
  callPackage,
  faceFailureOf,
  faceResultOf,
  faceValues,
  instanceFor,
  type PackageResult,
  type PlannedAdapterTask,
} from '#server/domains/integrations/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { EffectRun, TaskEnvironment, TaskOutcome } from '../tasks/outcome.ts';
import { broken, succeeded } from './finish.ts';
import { adapterOperation } from './rest.service.ts';
import { asAdapters } from './rest-request.ts';
import { type TaskInput, TaskInputError } from './task-input.ts';

/** Runs a task of an adapter type as its job keeps it (docs/adapter-tasks.md). */
export const adapterTask =
  ({ type, name, call, effect, effects }: PlannedAdapterTask): EffectRun =>
  async (incoming, world) => {
    const { adapter_id: named, ...values } = incoming;
    const { provider } = call;
    const instance = await instanceFor(world, { type, name, provider }, named);
    if ('fault' in instance)
      return broken(faultOf(type, provider, instance.fault), { variable: 'adapter_id' });
    if (instance.stub) return stubbed(instance.stub, world.signal);
    const adapter = instance.name;
    switch (call.provider) {
      case 'document':
        return documentOutcome(await answerOf(world, adapter, call, values));
      case 'face':
        return faceOutcome({ adapter, task: name, output: call.output }, () =>
          answerOf(world, adapter, call, valuesBehind(call, values)),
        );
      case 'none':
        return instance.isRest
          ? adapterOperation(type, name)({ ...values, adapter_id: adapter }, world)
          : broken(`adapter ${type} has no connection here`, { variable: 'adapter_id' });
      case 'package':
        return packageOutcome(
          await callPackage(world, adapter, call, values, {
            effect: effects?.[adapter] ?? effect,
            signal: world.signal,
          }),
        );
    }
  };

/** Nothing carries out tasks of a type without a provider, whichever adapter they name. */
const faultOf = (type: string, provider: AdapterCall['provider'], fault: string): string =>
  provider === 'none' ? `adapter ${type} has no connection here: ${fault}` : fault;

const answerOf = (
  { db, platform, key, signal }: TaskEnvironment,
  adapter: string,
  { operation }: Extract<AdapterCall, { provider: 'document' | 'face' }>,
  values: TaskInput,
): Promise<ApiAnswer> => callOperation({ db, platform }, adapter, operation, values, { key, signal });

/** Returns the outcome of a method of a package, or of a task of a face. */
function packageOutcome(result: PackageResult): TaskOutcome {
  if (result.ok) return succeeded({ ...result.outgoing });
  const { message, ...about } = result.error;
  return broken(message, about);
}

/** Returns the outcome of an operation; an error status is an error, which carries the response. */
function documentOutcome(answer: ApiAnswer): TaskOutcome {
  const { ok, status, headers, url, body } = answer;
  if (ok) return succeeded({ response: answer });
  const message = `${url} answered with status ${status}`;
  const error = { status, response: body, headers, url, ...asAdapters(message, { status, body }) };
  return { ...broken(message, error), outgoing: { response: answer } };
}

/** Returns the values of the operation behind a face. @throws TaskInputError for a value that it does not have */
function valuesBehind(call: Extract<AdapterCall, { provider: 'face' }>, incoming: TaskInput): TaskInput {
  const { values, unknown } = faceValues(call, incoming);
  const [first] = unknown;
  if (first !== undefined) {
    throw new TaskInputError(
      first,
      `is no value of ${call.operation.name} of ${call.model}: map it in the face`,
    );
  }
  return values;
}

/** Returns the outcome of an operation in the form of adapters, which workflows made for one read. */
async function faceOutcome(
  about: { adapter: string; task: string; output: string },
  call: () => Promise<ApiAnswer>,
): Promise<TaskOutcome> {
  try {
    return packageOutcome(faceResultOf(about, await call()));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return packageOutcome(faceFailureOf(about, error));
  }
}

/** Waits as long as a stub says, then returns its outcome. */
async function stubbed(
  { finish, outgoing, delayMs }: { finish: TaskOutcome['finish']; outgoing: TaskInput; delayMs: number },
  signal: AbortSignal,
): Promise<TaskOutcome> {
  if (delayMs > 0) await sleep(delayMs, undefined, { signal });
  const { error, ...results } = outgoing;
  if (finish !== 'error') return { finish, outgoing: { ...outgoing }, stubbed: true };
  const about = typeof error === 'object' && error !== null ? { ...error } : {};
  const message = 'message' in about && typeof about.message === 'string' ? about.message : 'stub';
  return { ...broken(message, about), outgoing: results, stubbed: true };
}
