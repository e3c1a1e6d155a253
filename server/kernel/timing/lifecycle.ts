import type { Logger } from 'pino';

/** Something that was started and can be stopped. */
export type Running = {
  /** Stops all parts, the last one started first. */
  stop: () => Promise<void>;
};

type Closer = () => Promise<void>;

/**
 * Runs `start`, which adds a closer for each part; they run in reverse order at the stop, or when the start fails.
 *
 * @returns the result of `start`, and a function that stops all parts
 * @throws the error of `start`
 */
export async function inOrder<Started>(
  log: Logger,
  start: (closers: Closer[]) => Promise<Started>,
): Promise<Started & Running> {
  const closers: Closer[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return { ...(await start(closers)), stop };
  } catch (error) {
    await stop().catch((cause: unknown) => log.error({ err: cause }, 'could not stop cleanly'));
    throw error;
  }
}
