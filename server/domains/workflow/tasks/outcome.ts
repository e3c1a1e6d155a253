import type { Context, Platform } from '#server/kernel/platform.ts';
import type { TokenRoles } from '#server/kernel/principal.ts';

/** What became of a task: how it finished, what it gives, what it changed in its job. */
export type TaskOutcome = {
  finish: 'success' | 'failure' | 'error';
  /** Its results, by the names of the task's outgoing variables. */
  outgoing: Record<string, unknown>;
  /** Variables of the job that it sets besides those its outgoing variables name: newVariable, push, pop, shift. */
  variables?: Record<string, unknown>;
  /** What went wrong, for people and for the task's `variables.error`; present when it finished with error. */
  error?: { message: string } & Record<string, unknown>;
};

/** What a pure task sees of its job besides its incoming values. */
export type JobView = {
  /** Variables of the job; not to be changed. */
  variables: Readonly<Record<string, unknown>>;
  /** Value behind a reference `{task: "job" | "static" | <task id>, variable}`; undefined: there is none. */
  resolve: (reference: { task: string; variable: unknown }) => unknown;
};

/** Works on values alone: the same values always give the same outcome, so that it may run inside a transaction. */
export type PureRun = (incoming: Record<string, unknown>, job: JobView) => TaskOutcome;

/**
 * Thrown by a pure run for values that may take long: a transaction would wait, and others for it. What `outside` does then
 * gives the same outcome.
 */
export class TooMuchAtOnce extends Error {}

/** What a task with an effect may use. */
export type TaskEnvironment = {
  /** Not inside a transaction: what a task writes is done when it says so. */
  db: Context['db'];
  platform: Pick<
    Platform,
    | 'config'
    | 'vault'
    | 'orchestrator'
    | 'rest'
    | 'cli'
    | 'gnoi'
    | 'durable'
    | 'log'
    | 'logOf'
    | 'now'
    | 'access'
  >;
  now: () => Date;
  /** Id of the acting account of the job: the task runs with the rights that it has now. */
  account: string;
  /** Ids of the accounts that confirmed the task, or one that started its job: the task has only rights that all have. */
  confirmedBy?: readonly string[];
  /** The roles that count for those of these accounts that came with a personal token. */
  tokenRoles?: TokenRoles | undefined;
  /** `<job>/<task>/<iteration>/<attempt>`: the same for every repetition of one attempt (contract/decisions#restcall). */
  key: string;
  /** Aborted when the job is canceled. */
  signal: AbortSignal;
};

/** Does something outside the job; what it throws is an outcome with finish error. */
export type EffectRun = (incoming: Record<string, unknown>, world: TaskEnvironment) => Promise<TaskOutcome>;
