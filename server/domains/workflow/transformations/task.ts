import { isObject } from '#server/kernel/json/objects.ts';
import type { TaskOutcome } from '../tasks/outcome.ts';
import { listOf } from './finding.ts';
import type { RunEnvironment, RunLimits } from './run.ts';
import { type NamedTransformation, type RunOptions, runTransformation } from './transformation.ts';

/** The inputs of a transformation task, as they are sent to a thread. */
export type TransformationTaskInputs = {
  document: NamedTransformation | undefined;
  incoming: Readonly<Record<string, unknown>>;
};

/**
 * Runs the document of a transformation task (contract/engines#transformation-task). Results are named by the outputs,
 * regardless of extractOutput; an output without an assigned value is null.
 *
 * @param document the stored document with the id `tr_id`; undefined when it does not exist
 * @param incoming the incoming values, with those of the job filled in: `tr_id`, `variableMap`, `options`
 * @returns success, or error with the step that failed; never partial results
 */
export function transformationOutcome(
  document: NamedTransformation | undefined,
  incoming: Readonly<Record<string, unknown>>,
  around?: RunEnvironment,
  limits?: RunLimits,
): TaskOutcome {
  const { tr_id: id, variableMap, options } = incoming;
  if (!document) return failed(`transformation ${String(id)} not found`);
  if (variableMap !== undefined && variableMap !== null && variableMap !== '' && !isObject(variableMap)) {
    return failed('variableMap must be an object');
  }
  const inputs = isObject(variableMap) ? variableMap : {};
  const { validateIncoming, revertToDefaultValue } = optionsOf(options);
  const result = runTransformation(
    document,
    inputs,
    { validateIncoming, revertToDefaultValue },
    around,
    limits,
  );
  if ('error' in result) return failed(result.error.message, result.error);
  // Nothing was extracted: outputs are by name.
  const outputs = result.outputs as Record<string, unknown>;
  const names = listOf(document.outgoing).map(({ $id }) => String($id));
  const outgoing = names.map((name) => [name, Object.hasOwn(outputs, name) ? outputs[name] : null]);
  return { finish: 'success', outgoing: Object.fromEntries(outgoing) };
}

/** Returns the outcome of a transformation that failed. @param details further fields of the error */
export const failed = (message: string, details: object = {}): TaskOutcome => ({
  finish: 'error',
  outgoing: {},
  error: { ...details, message },
});

/**
 * Returns the flags in a document: `true` or the text `true` sets one; an empty text in place of the flags sets none
 * (contract/engines#transformation-choices).
 */
export function optionsOf(options: unknown): Required<RunOptions> {
  const given = isObject(options) ? options : {};
  const isSet = (name: keyof RunOptions) => given[name] === true || given[name] === 'true';
  return {
    extractOutput: isSet('extractOutput'),
    validateIncoming: isSet('validateIncoming'),
    revertToDefaultValue: isSet('revertToDefaultValue'),
  };
}
