import type { Context, WorkPlatform } from '#server/kernel/platform.ts';
import type { TokenRoles } from '#server/kernel/principal.ts';

/** The outcome of a task: how it finished, its results, and its changes to the job. */
export type TaskOutcome = {
  finish: 'success' | 'failure' | 'error';
  /** Its results, by the names of the task's outgoing variables. */
  outgoing: Record<string, unknown>;
  /** Variables of the job that it sets besides those its outgoing variables name: newVariable, push, pop, shift. */
  variables?: Record<string, unknown>;
  /** The error, for users and for the task's `variables.error`; present when it finished with error. */
  error?: { message: string } & Record<string, unknown>;
  /** Set when a stub of the adapter answered, and nothing was called. */
  stubbed?: true;
};

/** The job as a pure task sees it, besides its incoming values. */
export type JobView = {
  /** Variables of the job; read-only. */
  variables: Readonly<Record<string, unknown>>;
  /**
   * Returns the value of a reference `{task: "job" | "static" | <task id>, variable}`; undefined when it does not exist.
   */
  resolve: (reference: { task: string; variable: unknown }) => unknown;
};

/** A run that works on values alone: the same values always yield the same outcome, so it may run inside a transaction. */
export type PureRun = (incoming: Record<string, unknown>, job: JobView) => TaskOutcome;

/**
 * Thrown by a pure run for values that may take long, which would delay the transaction and those waiting for it.
 * `outside` then runs instead, with the same outcome.
 */
export class TooMuchAtOnce extends Error {}

/** The services and data that a task with an effect may use. */
export type TaskEnvironment = {
  /** Not inside a transaction: writes of the task take effect immediately. */
  db: Context['db'];
  platform: WorkPlatform;
  now: () => Date;
  /** Id of the acting account of the job: the task runs with its current rights. */
  account: string;
  /**
   * Ids of the accounts that confirmed the task, or one that started its job: the task has only the rights that all have.
   */
  confirmedBy?: readonly string[];
  /** The effective roles of those accounts that used a personal token. */
  tokenRoles?: TokenRoles | undefined;
  /** `<job>/<task>/<iteration>/<attempt>`: the same for every repetition of one attempt (contract/decisions#restcall). */
  key: string;
  /** Aborted when the job is canceled. */
  signal: AbortSignal;
};

/** A run with effects outside the job; an exception becomes an outcome with finish error. */
export type EffectRun = (incoming: Record<string, unknown>, world: TaskEnvironment) => Promise<TaskOutcome>;
