import type { Issue } from '#server/kernel/errors.ts';
import { checkAtOnce, checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import { type EffectRun, type PureRun, type TaskOutcome, TooMuchAtOnce } from '../tasks/outcome.ts';
import { negative, succeeded } from './finish.ts';
import { object, orNull, type TaskInput } from './task-input.ts';

const outcomeOf = (errors: readonly Issue[]): TaskOutcome =>
  errors.length === 0 ? succeeded({ valid: true, errors }) : negative({ valid: false, errors });

const askedIn = (incoming: TaskInput) => ({
  schema: object(incoming, 'schema'),
  data: orNull(incoming, 'data'),
});

/** Holds data against a schema when that is certain to take but a moment. */
export const validateJsonSchema: PureRun = (incoming) => {
  const { schema, data } = askedIn(incoming);
  const errors = checkAtOnce(schema, data);
  if (errors === null) throw new TooMuchAtOnce();
  return outcomeOf(errors);
};

/** The same for any schema, away from the transaction. */
export const validateJsonSchemaInThread: EffectRun = async (incoming) => {
  const { schema, data } = askedIn(incoming);
  return outcomeOf(await checkBySchema(schema, data, SCHEMA_LIMITS.task));
};
