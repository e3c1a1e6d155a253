import type { Client } from 'ldapts';
import { isAnswer, lengthOf } from './messages.ts';

/**
 * Most bytes and messages that a directory may send on one connection, and most bytes of a message: many times what the
 * groups of a user need. A message of only empty values costs this thread half a microsecond for each byte.
 */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MESSAGES = 50_000;
const LONGEST_MESSAGE = 256 * 1024;
/** How long a directory may send messages on one connection, in milliseconds: a search may have pages without end. */
export const MOST_MS = 60_000;

/** The message of the error when a directory sends more. */
export const TOO_MUCH =
  'the directory sends more than 8 MiB, more than 50,000 messages, one of more than 256 KiB, or for more than a minute';

/** What the library's client has inside: it limits the time of an answer, and neither its size nor its messages. */
type Inside = {
  socket?: { destroyed: boolean; destroy: (error: Error) => void };
  /** Receives what arrives, also through TLS. */
  socketDataHandler: (data: Buffer) => void;
};

/** A client whose answers are bounded. */
export type Bounded = {
  /** Whether a part of a message has arrived. */
  hasPart: () => boolean;
};

/**
 * Gives a client whole messages, one at a time, that have the form of an answer: others keep the library at work for ever,
 * or end the process. Ends the connection of one whose server sends others, too much or for too long, also what was
 * not asked for.
 *
 * @param client that is not connected yet
 * @param mostMs how long the server may send
 */
export function boundAnswers(client: Client, mostMs: number): Bounded {
  const inside = client as unknown as Inside;
  const { socketDataHandler: handle } = inside;
  const until = performance.now() + mostMs;
  const end = (reason: string) => inside.socket?.destroy(new Error(reason));
  let bytes = 0;
  let messages = 0;
  /** What has arrived of a message. It is put together once, because a server may send it byte by byte. */
  let parts: Buffer[] = [];
  let size = 0;
  let wanted = 0;
  const next = (arrived: Buffer): Buffer | null => {
    const length = lengthOf(arrived);
    wanted = length ?? arrived.length + 1;
    if (wanted > LONGEST_MESSAGE) throw new Error(TOO_MUCH);
    if (arrived.length < wanted) return null;
    messages += 1;
    if (messages > MOST_MESSAGES) throw new Error(TOO_MUCH);
    const message = arrived.subarray(0, wanted);
    if (!isAnswer(message)) throw new Error('a message has not the form of an answer');
    return message;
  };
  const readAll = () => {
    let arrived = Buffer.concat(parts);
    for (let message = next(arrived); message && inside.socket?.destroyed !== true; message = next(arrived)) {
      arrived = arrived.subarray(message.length);
      handle(message);
    }
    size = arrived.length;
    parts = size > 0 ? [arrived] : [];
  };
  inside.socketDataHandler = (data) => {
    bytes += data.length;
    if (bytes > MOST_BYTES || performance.now() > until) return void end(TOO_MUCH);
    parts.push(data);
    size += data.length;
    if (size < wanted) return;
    try {
      readAll();
    } catch (error) {
      end((error as Error).message);
    }
  };
  return { hasPart: () => size > 0 };
}
