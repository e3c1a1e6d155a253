import type { Reference } from '#server/domains/assets/index.ts';
import type { Rights } from '#server/kernel/principal.ts';
import type { TaskType } from '../tasks/task-type.ts';
import type { Schema } from './schema-of-task.ts';

/** The account that validates a workflow. */
export type ValidationAuthor = {
  rights: Pick<Rights, 'roles' | 'permissions'>;
  /** Why it may not use components that tasks name, by the task's id and the incoming variable. */
  denials: readonly { task: string; field: string; reason: string }[];
};

/** Facts that the validator needs, besides the workflow. */
export type ValidationContext = {
  task: (app: string, name: string) => TaskType | undefined;
  /** Returns whether an application with this name provides tasks. */
  hasApp: (app: string) => boolean;
  /** Adapters of the model Rest, whose operations a task of an unknown type may call; absent: none. */
  adapters?: ReadonlySet<string>;
  /** Names of the adapter types of the workflow that are known. */
  adapterTypes?: ReadonlySet<string>;
  /** Why no adapter can carry out a task, by the task's id. */
  adapterFaults?: ReadonlyMap<string, string>;
  /**
   * The references of the workflow to documents that do not exist; `word` is null where the kind is unknown, and
   * `candidates` are workflows of its project that may be meant.
   */
  missing: readonly (Pick<Reference, 'value' | 'path'> & {
    word: string | null;
    candidates?: readonly string[];
  })[];
  /** Returns the input schema of a workflow, by its name. */
  input: (workflow: string) => Schema | undefined;
  /** Returns what prevents a transformation from running, by its id; nothing for one that does not exist. */
  faults: (transformation: string) => readonly string[];
  /** Receives warnings about tasks and components that its own jobs could not use; absent: no such warnings. */
  author?: ValidationAuthor;
};
