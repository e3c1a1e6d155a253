import type { Connection } from '../embedded.ts';
import { keepConnected } from './persistent-connection.ts';

/**
 * Listens for notifications from other processes on some channels, on one connection, for the life of the process.
 * Notifications sent while the connection is lost are missed, so each listener is also called whenever listening begins.
 *
 * @param hearers the function to call, by channel
 * @returns a function that stops listening
 * @throws the error of the first connection attempt
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
