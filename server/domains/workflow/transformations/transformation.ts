import { fieldIn } from '#server/kernel/json/objects.ts';
import { compileToRun } from './check.ts';
import type { Runnable } from './compile.ts';
import { frameOf, outputOf } from './expressions/evaluate.ts';
import { known } from './expressions/lazy-values.ts';
import { StepFailed } from './expressions/step-failed.ts';
import { define, plain } from './expressions/values.ts';
import { type JsonObject, listOf, type TransformationFinding } from './finding.ts';
import { type InputIssue, inputIssues, withDefaults } from './inputs.ts';
import { LIMITS, type RunEnvironment, type RunLimits, type RunState } from './run.ts';

/** Options for inputs and outputs, false if absent (contract/engines#transformation-task, #transformation-choices). */
export type RunOptions = {
  /** Returns the bare value of the only output, instead of an object of outputs. */
  extractOutput?: boolean;
  /** Validates every input against its schema. */
  validateIncoming?: boolean;
  /** Uses defaults for inputs that were not supplied. */
  revertToDefaultValue?: boolean;
};

/** Why a transformation has no result. */
export type TransformationFailure = {
  /** One sentence that names the document and, if known, the step. */
  message: string;
  /** `document`: it cannot be run; `incoming`: the inputs are invalid; `step`: an operation failed. */
  code: 'document' | 'incoming' | 'step';
  /** The issues of the document or the inputs, with their paths. */
  issues?: (TransformationFinding | InputIssue)[];
  /** Functions from the document down to the one that failed. */
  functions?: string[];
  /** Id of the step, and its operation. */
  step?: string;
  operation?: string;
  /** Slot of the invalid value, from 0. */
  argument?: number;
};

/** The result of a transformation: its outputs by name, or the bare one with extractOutput. */
export type TransformationResult = { outputs: unknown } | { error: TransformationFailure };

/** A document with its name, as it is stored or edited. */
export type NamedTransformation = Runnable & { name?: string };

/** The inputs of a run, as they are sent to a thread. */
export type RunInputs = {
  document: NamedTransformation;
  inputs: Readonly<Record<string, unknown>>;
  options: RunOptions;
};

/** The clock and the random numbers of the host. */
const HOST: RunEnvironment = { now: () => Date.now(), random: () => Math.random() };

/**
 * Runs a transformation (contract/engines#transformation-evaluation). Its arguments are not modified, it does not throw,
 * and its work is bounded.
 *
 * @param inputs values by the names of the inputs; others are ignored
 * @param around the clock and random numbers: with the same ones, the same inputs yield the same outputs
 */
export function runTransformation(
  document: NamedTransformation,
  inputs: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
  around: RunEnvironment = HOST,
  limits: RunLimits = LIMITS,
): TransformationResult {
  const title = `transformation ${JSON.stringify(document.name ?? '')}`;
  try {
    return {
      outputs: outputsOf(document, inputs, options, {
        ...around,
        limits,
        work: 0,
        depth: 0,
        compiled: new Map(),
      }),
    };
  } catch (error) {
    if (error instanceof CannotStart)
      return { error: { ...error.failure, message: `${title}: ${error.message}` } };
    return { error: failureOf(title, error) };
  }
}

/** Thrown when a run cannot begin. */
class CannotStart extends Error {
  readonly failure: Pick<TransformationFailure, 'code' | 'issues'>;
  constructor(code: TransformationFailure['code'], issues: (TransformationFinding | InputIssue)[]) {
    super(
      issues
        .slice(0, 3)
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; '),
    );
    this.failure = { code, issues };
  }
}

function outputsOf(
  document: NamedTransformation,
  inputs: Readonly<Record<string, unknown>>,
  options: RunOptions,
  run: RunState,
): unknown {
  const { body, stops } = compileToRun(document);
  if (stops.length > 0) throw new CannotStart('document', stops);
  const bound = boundTo(run, document.incoming, inputs, options.revertToDefaultValue === true);
  const issues = options.validateIncoming === true ? inputIssues(run, document.incoming, bound) : [];
  if (issues.length > 0) throw new CannotStart('incoming', issues);
  const cells = new Map([...bound].map(([name, value]) => [name, known(value)]));
  const frame = frameOf(run, body, cells);
  const outputs: JsonObject = {};
  for (const schema of listOf(document.outgoing)) {
    const name = String(schema.$id);
    const value = plain(run, outputOf(frame, name));
    const settled = options.revertToDefaultValue === true ? withDefaults(run, value, schema) : value;
    if (settled !== undefined) define(outputs, name, settled);
  }
  if (options.extractOutput !== true || body.outgoing.length !== 1) return outputs;
  const [only] = Object.values(outputs);
  return only;
}

function boundTo(
  run: RunState,
  schemas: unknown,
  inputs: Readonly<Record<string, unknown>>,
  isReverted: boolean,
): Map<string, unknown> {
  return new Map(
    listOf(schemas).map((schema) => {
      const name = String(schema.$id);
      const value = fieldIn(inputs, name);
      return [name, isReverted ? withDefaults(run, value, schema) : value];
    }),
  );
}

function failureOf(title: string, error: unknown): TransformationFailure {
  const failed =
    error instanceof StepFailed ? error : new StepFailed('the transformation exceeds its limits');
  const { message, place, argument } = failed;
  if (!place) return { code: 'step', message: `${title}: ${message}` };
  const { functions, step, operation } = place;
  const where = [...functions.map((id) => `function ${JSON.stringify(id)}`), `step ${step} (${operation})`];
  return {
    code: 'step',
    message: `${title}: ${where.join(', ')}: ${message}`,
    functions,
    step,
    operation,
    ...(argument !== null && { argument }),
  };
}
