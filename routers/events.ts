import { z } from 'zod';
import { streamEvents, type VisibleEvent } from '#server/domains/workflow/index.ts';
import { rest, router, signedIn, subscription } from '#server/kernel/procedures.ts';

/** Reports that events before `oldestId` are no longer stored, so that some may have been missed. */
type Gap = { topic: 'gap'; oldestId: string };

const StreamRequest = z.strictObject({
  topics: z
    .array(z.string())
    .max(100)
    .nullish()
    .meta({ description: 'Only events with these names; absent: all events', examples: [['jobCompleted']] }),
  subjects: z
    .array(z.string().max(500))
    .max(1000)
    .nullish()
    .meta({
      description:
        'Only events about these: ids of documents, jobs and batches, names of devices and adapters',
      examples: [['65f0c1d2e3a4b5c6d7e8f901']],
    }),
  progress: z
    .array(z.string().max(500))
    .max(100)
    .nullish()
    .meta({
      description:
        'Ids of jobs: each of their steps is sent as an event named `jobProgressed`, whatever `topics` and `subjects` say',
      examples: [['65f0c1d2e3a4b5c6d7e8f901']],
    }),
  lastEventId: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event')
    .nullish()
    .meta({
      description: 'Id of the last event that was received: continues after it; absent: only new events',
      examples: ['1042'],
    }),
});

export const events = router({
  stream: signedIn
    .meta(
      rest('GET', '/events', 'Events as they happen', {
        produces: 'text/event-stream',
        description:
          'Server-sent events. `data` is `{"id","source","topic","time","payload"}`; `/operations-manager/events` lists the topics, with the schema of each payload. The header `Last-Event-ID` means the same as `lastEventId`. An event named `gap`, `{"topic":"gap","oldestId"}`, says that some were missed because they are no longer kept. An event named `jobProgressed` lists the tasks that a step of a job in `progress` changed; one without `tasks` says that some steps were missed. It is not stored, and not sent again. A comment every 15 s is a sign of life. Each caller receives only events about documents that it may read; an open stream does not extend the session, and ends with it.',
        errorResponses: { 429: 'This account has 100 event streams open already' },
      }),
    )
    .input(StreamRequest)
    .subscription(
      subscription<z.infer<typeof StreamRequest>, VisibleEvent | Gap>(({ ctx, input, signal }) =>
        streamEvents(ctx, input, signal),
      ),
    ),
});
