import type { Issue } from '#server/kernel/errors.ts';
import { checkAtOnce, checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import { type EffectRun, type PureRun, type TaskOutcome, TooMuchAtOnce } from '../tasks/outcome.ts';
import { negative, succeeded } from './finish.ts';
import { object, orNull, type TaskInput } from './task-input.ts';

const outcomeOf = (errors: readonly Issue[]): TaskOutcome =>
  errors.length === 0 ? succeeded({ valid: true, errors }) : negative({ valid: false, errors });

const requestOf = (incoming: TaskInput) => ({
  schema: object(incoming, 'schema'),
  data: orNull(incoming, 'data'),
});

/** Validates data against a schema if that is certain to be quick. @throws TooMuchAtOnce otherwise */
const validateJsonSchema: PureRun = (incoming) => {
  const { schema, data } = requestOf(incoming);
  const errors = checkAtOnce(schema, data);
  if (errors === null) throw new TooMuchAtOnce();
  return outcomeOf(errors);
};

/** Validates data against any schema, outside the transaction. */
export const validateJsonSchemaInThread: EffectRun = async (incoming) => {
  const { schema, data } = requestOf(incoming);
  return outcomeOf(await checkBySchema(schema, data, SCHEMA_LIMITS.task));
};

/** The runs of these tasks, by name. */
export const SCHEMA_RUNS: Readonly<Record<string, PureRun>> = { validateJsonSchema };
