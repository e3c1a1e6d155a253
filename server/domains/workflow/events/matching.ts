import type { EventTrigger } from '#db/schemas/workflow/trigger.ts';

/** An event as triggers see it; `at` in milliseconds since 1970. */
export type Published = {
  id: string;
  source: string;
  topic: string;
  at: number;
  payload: Record<string, unknown>;
};

/** Returns for each payload whether it meets a trigger's schema. */
export type PayloadCheck = (
  trigger: EventTrigger,
  payloads: readonly Published['payload'][],
) => Promise<readonly boolean[]>;

/**
 * Returns which events start which triggers (contract/lifecycle#6.2): source and topic match the trigger, the payload meets
 * its schema, and the trigger existed when the event happened.
 *
 * @returns pairs in the order of the events
 */
export async function startsOf(
  published: readonly Published[],
  triggers: readonly EventTrigger[],
  meets: PayloadCheck,
): Promise<{ event: Published; trigger: EventTrigger }[]> {
  const started = new Map<Published, EventTrigger[]>();
  for (const trigger of triggers) {
    const since = Date.parse(trigger.created ?? '') || 0;
    const named = published.filter(
      ({ source, topic, at }) => trigger.source === source && trigger.topic === topic && since <= at,
    );
    if (named.length === 0) continue;
    const verdicts = await meets(
      trigger,
      named.map(({ payload }) => payload),
    );
    for (const [at, event] of named.entries()) {
      if (!verdicts[at]) continue;
      const others = started.get(event);
      if (others) others.push(trigger);
      else started.set(event, [trigger]);
    }
  }
  return published.flatMap((event) => (started.get(event) ?? []).map((trigger) => ({ event, trigger })));
}
