import { attend } from './attend.ts';
import type { Connection } from './embedded.ts';

/**
 * Hear what other processes tell on a channel, for as long as the process lives. What was told while a connection was
 * lost cannot be heard, so `hear` is also called each time listening begins.
 *
 * @returns a function that ends it
 * @throws what the first attempt fails with
 */
export const listen = (
  connection: Connection,
  channel: string,
  hear: () => void,
): Promise<() => Promise<void>> =>
  attend(connection, async (client) => {
    await client.listen(channel, hear);
    hear();
  });
