import type { Reference } from '#server/domains/assets/index.ts';
import type { Rights } from '#server/kernel/principal.ts';
import type { TaskType } from '../tasks/task-type.ts';
import type { Schema } from './schema-of-task.ts';

/** The account that asks about a workflow. */
export type ValidationAuthor = {
  rights: Pick<Rights, 'roles' | 'permissions'>;
  /** Why it may not use components that tasks name, by the task's id and the incoming variable. */
  denials: readonly { task: string; field: string; reason: string }[];
};

/** What the validator must know of the world around a workflow. */
export type ValidationContext = {
  task: (app: string, name: string) => TaskType | undefined;
  /** Whether an application of this name brings tasks. */
  hasApp: (app: string) => boolean;
  /** Adapters whose operations a task may call; absent: there is none. */
  adapters?: ReadonlySet<string>;
  /** The places of the workflow that name a document which does not exist; `word` null where its kind is not known. */
  missing: readonly (Pick<Reference, 'value' | 'path'> & { word: string | null })[];
  /** The schema of what a workflow takes, by its name. */
  input: (workflow: string) => Schema | undefined;
  /** What keeps a transformation from running, by its id; none for one that is not there. */
  faults: (transformation: string) => readonly string[];
  /** Is warned of tasks and components that its own jobs could not use; absent: nobody is. */
  author?: ValidationAuthor;
};
