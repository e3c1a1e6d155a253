import type { EventTrigger } from '#db/schemas/trigger.ts';
import { type Check, compileSchema, SchemaRefused } from '#server/json-schema.ts';

/** An event as triggers look at it; `at` in milliseconds since 1970. */
export type Published = {
  id: string;
  source: string;
  topic: string;
  at: number;
  payload: Record<string, unknown>;
};

/**
 * Which events start which triggers (lifecycle §6.2): source and topic are the trigger's, the payload meets its schema,
 * and the trigger was there when it happened.
 */
export function startsOf(
  published: readonly Published[],
  triggers: readonly EventTrigger[],
): { event: Published; trigger: EventTrigger }[] {
  const waiting = triggers.map((trigger) => ({
    trigger,
    since: Date.parse(trigger.created ?? '') || 0,
    meets: checkOf(trigger.schema),
  }));
  return published.flatMap((event) =>
    waiting
      .filter(
        ({ trigger, since, meets }) =>
          trigger.source === event.source &&
          trigger.topic === event.topic &&
          since <= event.at &&
          meets(event.payload).length === 0,
      )
      .map(({ trigger }) => ({ event, trigger })),
  );
}

/** A schema that cannot be used, which a store of an earlier version may hold, is met by nothing. */
function checkOf(schema: EventTrigger['schema']): Check {
  if (!schema) return () => [];
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    return () => [{ path: [], message: error.message, code: 'schema' }];
  }
}
