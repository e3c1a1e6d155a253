import type { Connection } from '../embedded.ts';
import { keepConnected } from './persistent-connection.ts';

/**
 * Hear what other processes tell on some channels, on one connection, for as long as the process lives. What was told
 * while a connection was lost cannot be heard, so each is also called each time listening begins.
 *
 * @param hearers what to call, by channel
 * @returns a function that ends it
 * @throws what the first attempt fails with
 */
export const listen = (
  connection: Connection,
  hearers: Readonly<Record<string, () => void>>,
): Promise<() => Promise<void>> =>
  keepConnected(
    connection,
    async (client) => {
      for (const [channel, hear] of Object.entries(hearers)) {
        await client`listen ${client(channel)}`;
        hear();
      }
    },
    (channel) => hearers[channel]?.(),
  );
