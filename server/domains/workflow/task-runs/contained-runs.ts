import { PatternError } from '#server/kernel/documents/list-filter.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import { translateFault } from '#server/kernel/observability/faults.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import { SchemaError } from '#server/kernel/validation/json-schema.ts';
import { QuerySyntaxError } from '../query/parse.ts';
import {
  type EffectRun,
  type JobView,
  type PureRun,
  type TaskOutcome,
  TooMuchAtOnce,
} from '../tasks/outcome.ts';
import { broken } from './finish.ts';
import { TaskInputError } from './task-input.ts';

/**
 * Returns a run that turns every exception into an outcome, and whose results can be stored
 * (server/kernel/validation/input-sanity.ts). Exceptions from resolving a value of the job are the engine's own, and are
 * rethrown.
 */
export const contained =
  (run: PureRun): PureRun =>
  (incoming, job) => {
    const engines = new Set<unknown>();
    const orFail = <Value>(ask: () => Value): Value => {
      try {
        return ask();
      } catch (error) {
        engines.add(error);
        throw error;
      }
    };
    const view: JobView = {
      get variables() {
        return orFail(() => job.variables);
      },
      resolve: (reference) => orFail(() => job.resolve(reference)),
    };
    try {
      return storable(bounded(run(incoming, view)));
    } catch (error) {
      if (engines.has(error) || error instanceof TooMuchAtOnce) throw error;
      return storable(brokenBy(error));
    }
  };

/**
 * Returns a run with an effect that turns every exception into an outcome; unexpected errors are logged and not reported to
 * the job. What the database cannot do at the moment is rethrown: the caller knows whether the task may run again.
 */
export const containedEffect =
  (run: EffectRun): EffectRun =>
  async (incoming, world) => {
    try {
      return storable(await run(incoming, world));
    } catch (error) {
      if (world.signal.aborted) return broken('The job was canceled in the meantime', { reason: 'CANCELED' });
      if (!isForeseen(error)) {
        if (translateFault(error)?.code === 'SERVICE_UNAVAILABLE') throw error;
        world.platform.log.error({ err: error, key: world.key }, 'a task failed');
      }
      return storable(brokenBy(error));
    }
  };

/** Maximum number of characters of all results of a task on values: it stops values that double in a loop. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Returns the outcome, or an error when its results are too large. */
function bounded(outcome: TaskOutcome): TaskOutcome {
  const { outgoing, variables } = outcome;
  if (sizeOf([outgoing, variables], MOST_CHARACTERS) <= MOST_CHARACTERS) return outcome;
  return broken(`The results would have more than ${MOST_CHARACTERS} characters`);
}

/** Returns the outcome, or an error when a result contains something that cannot be stored. */
function storable(outcome: TaskOutcome): TaskOutcome {
  const { outgoing, variables, error } = outcome;
  try {
    assertStorable([outgoing, variables ?? {}, error ?? {}]);
    return outcome;
  } catch (fault) {
    const [issue] = fault instanceof ServiceError ? (fault.issues ?? []) : [];
    if (!issue) throw fault;
    return broken(clipped(`The result ${issue.path.slice(1).join('.')} ${issue.message}`, 500));
  }
}

const isForeseen = (error: unknown): error is Error =>
  [TaskInputError, QuerySyntaxError, SchemaError, PatternError, ServiceError].some(
    (kind) => error instanceof kind,
  );

function brokenBy(error: unknown): TaskOutcome {
  if (error instanceof TaskInputError) return broken(error.message, { variable: error.variable });
  if (error instanceof QuerySyntaxError) return broken(`query ${error.message}`, { variable: 'query' });
  if (error instanceof ServiceError) {
    const { code, issues, extra, message } = error;
    return broken(message, { ...extra, code, ...(issues && { issues }) });
  }
  if (isForeseen(error)) return broken(error.message);
  // The stack or a string exceeded what the runtime can hold: the values are too deep or too large.
  return broken(error instanceof RangeError ? 'The values are too large for this task' : 'Internal error');
}
