import { once } from 'node:events';
import type { Running } from './in-order.ts';
import { startThread } from './thread.ts';
import type { WorkOrder } from './work-thread.ts';

/**
 * Do durable work in a thread of its own. Requests do not wait for the work, and do not pay for it either: the library
 * beneath follows every promise of its thread, which made each request a quarter dearer (decision 0051).
 *
 * @param lost told when the thread ends by itself: there is nobody left to do this process's share
 */
export async function startExecutor(order: WorkOrder, lost: (error: unknown) => void): Promise<Running> {
  const thread = startThread('work', { workerData: order });
  const ended = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that does durable work ended: ${code}`)));
  });
  ended.catch(() => undefined);
  await Promise.race([once(thread, 'message'), ended]);
  let stopping = false;
  ended.catch((error: unknown) => {
    if (!stopping) lost(error);
  });
  return {
    stop: async () => {
      stopping = true;
      thread.postMessage('stop');
      await ended.catch(() => undefined);
    },
  };
}
