import type { Connection } from '../embedded.ts';
import { keepConnected } from './persistent-connection.ts';

/**
 * Listens for notifications from other processes on some channels, on one connection, for the life of the process.
 * Notifications sent while the connection is lost are missed, so each handler is also called, without a payload, whenever
 * listening begins.
 *
 * @param handlers the function to call with the payload of a notification, by channel
 * @returns a function that stops listening
 * @throws the error of the first connection attempt
 */
export const listen = (
  connection: Connection,
  handlers: Readonly<Record<string, (payload?: string) => void>>,
): Promise<() => Promise<void>> =>
  keepConnected(
    connection,
    async (client) => {
      for (const [channel, handle] of Object.entries(handlers)) {
        await client`listen ${client(channel)}`;
        handle();
      }
    },
    (channel, payload) => handlers[channel]?.(payload),
  );
