import type { TrackedEnvelope } from '@trpc/server';
import { GapText } from '#server/kernel/event-feed.ts';
import type { JsonText } from '#server/kernel/json-text.ts';
import { BEAT_MS, type Subscribed } from '#server/kernel/procedures.ts';

/** What a browser waits before it comes back, in milliseconds. */
const RETRY_MS = 1000;

type Tracked = TrackedEnvelope<JsonText<unknown>>;
type StreamEnd = { done: true; value: undefined };

/** Whether a procedure's answer is a subscription. */
export const isSubscribed = (result: unknown): result is Subscribed<unknown> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

/**
 * A subscription as server-sent events. Nothing is made before the reader asks for more, so a slow one holds one event at
 * most; when nothing comes for 15 seconds a comment says that the stream lives (contract/lifecycle#12a). Whatever ends the
 * subscription ends the answer: a reader comes back with the last id, and is then told what is wrong.
 */
export function eventStream(source: Subscribed<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let begun = false;
  let coming: Promise<IteratorResult<Tracked>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!begun) {
          begun = true;
          controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\nid: ${source.from}\n\n`));
          return;
        }
        coming ??= source.next();
        const came = await within(coming, BEAT_MS).catch((): StreamEnd => ({ done: true, value: undefined }));
        if (came === undefined) {
          controller.enqueue(encoder.encode(': still here\n\n'));
          return;
        }
        coming = undefined;
        if (came.done) controller.close();
        else controller.enqueue(encoder.encode(written(came.value)));
      },
      cancel: async () => {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** One event on the wire. A gap has a name of its own, so that nobody takes it for something that happened. */
function written([id, data]: Tracked): string {
  return `${data instanceof GapText ? 'event: gap\n' : ''}id: ${id}\ndata: ${data.text}\n\n`;
}

/** What a promise gives; undefined when that takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
