import type { TrackedEnvelope } from '@trpc/server';
import { GapText } from '#server/kernel/event-feed.ts';
import type { JsonText } from '#server/kernel/json-text.ts';
import { BEAT_MS, type Subscribed } from '#server/kernel/procedures.ts';

/** How long a browser waits before it reconnects, in milliseconds. */
const RETRY_MS = 1000;

type Tracked = TrackedEnvelope<JsonText<unknown>>;
type StreamEnd = { done: true; value: undefined };

/** Returns whether a procedure's result is a subscription. */
export const isSubscribed = (result: unknown): result is Subscribed<unknown> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

/**
 * Returns a subscription as server-sent events. It reads the next event only when the reader wants more, so a slow reader
 * holds at most one event; after 15 seconds without an event it sends a keep-alive comment (contract/lifecycle#12a).
 * Whatever ends the subscription ends the response: the reader reconnects with the last id and then receives the error.
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
        // A stream that fails ends: the client connects again and continues after its last event.
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

/** Returns one event in wire format. A gap has its own event name, so that no client mistakes it for an event. */
function written([id, data]: Tracked): string {
  return `${data instanceof GapText ? 'event: gap\n' : ''}id: ${id}\ndata: ${data.text}\n\n`;
}

/** Returns the value of a promise; undefined when that takes longer than `ms`. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
