import type { Logger } from 'pino';

/** What was started. */
export type Running = {
  /** Ends it part by part: what was started last goes first. */
  stop: () => Promise<void>;
};

type Closer = () => Promise<void>;

/** Start by `start`, which says how each part is closed; they close in reverse, at the end or when the start fails. */
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
    await stop().catch((cause: unknown) => log.error({ err: cause }, 'could not stop in order'));
    throw error;
  }
}
