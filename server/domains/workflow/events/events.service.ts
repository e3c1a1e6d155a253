import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import type { Subscription } from '#server/kernel/event-feed.ts';
import type { SignedIn } from '#server/kernel/platform.ts';
import { visibleAmong } from '../jobs/reads/jobs.service.ts';
import { EVENTS } from '../triggers/events.ts';
import { mayReadKind } from './readers.ts';

type EventRequest = {
  topics?: readonly string[] | null | undefined;
  subjects?: readonly string[] | null | undefined;
  lastEventId?: string | null | undefined;
  progress?: readonly string[] | null | undefined;
};

const TOPICS = new Set(EVENTS.map(({ topic }) => topic));

/**
 * Streams events as they happen, or from an id on (contract/lifecycle#12a): those that the caller may read, filtered by
 * topics and subjects, and every step of the jobs in `progress` that it may see. The stream ends when the reader leaves, or `signal` aborts.
 *
 * @throws ServiceError BAD_REQUEST for an unknown topic, TOO_MANY_REQUESTS
 */
export async function streamEvents(
  ctx: SignedIn,
  { topics, subjects, lastEventId, progress }: EventRequest,
  signal?: AbortSignal,
): Promise<Subscription> {
  const { principal, platform, request } = ctx;
  const unknown = (topics ?? []).flatMap((topic, at): Issue[] =>
    TOPICS.has(topic)
      ? []
      : [
          {
            path: ['topics', at],
            message: `no event is named ${topic.slice(0, 100)}`,
            code: 'invalid_value',
          },
        ],
  );
  if (unknown.length > 0) throw invalidRequest(unknown);
  const followed = progress?.length && mayReadKind(principal, 'job') ? await visibleAmong(ctx, progress) : [];
  const subscription = await platform.events.open(
    { caller: principal, again: request.again },
    {
      topics: topics ?? undefined,
      subjects: subjects ?? undefined,
      progress: [...followed],
      after: lastEventId ? Number(lastEventId) : undefined,
    },
  );
  const leave = () => void subscription.return?.();
  if (signal?.aborted) leave();
  else signal?.addEventListener('abort', leave, { once: true });
  return subscription;
}
