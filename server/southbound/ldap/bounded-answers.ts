import type { Client } from 'ldapts';

/**
 * Most bytes and messages that a directory may send on one connection, and most bytes of a message: many times what the
 * groups of a user need.
 */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_MESSAGES = 50_000;
const LONGEST_MESSAGE = 1024 * 1024;

/** The message of the error when a directory sends more. */
export const TOO_MUCH =
  'the directory sends more than 32 MiB, more than 50,000 messages, or one of more than 1 MiB';

/** What the library's client has inside: it limits the time of an answer, and neither its size nor its messages. */
type Inside = {
  socket?: { destroy: (error: Error) => void };
  /** Receives what arrives, also through TLS. */
  socketDataHandler: (data: Buffer) => void;
  /** `buffer` is the message that has not arrived completely. */
  messageParser: {
    buffer?: Buffer;
    prependListener: (event: 'message' | 'error', listener: () => void) => void;
  };
};

/**
 * Ends the connection of a client whose server sends too much, also what was not asked for: such a server would keep this
 * thread busy until the time limit of the operation.
 *
 * @param client that is not connected yet
 */
export function boundAnswers(client: Client): void {
  const inside = client as unknown as Inside;
  const { messageParser, socketDataHandler: handle } = inside;
  const end = () => inside.socket?.destroy(new Error(TOO_MUCH));
  let bytes = 0;
  let messages = 0;
  const count = () => {
    messages += 1;
    if (messages > MOST_MESSAGES) end();
  };
  messageParser.prependListener('message', count);
  messageParser.prependListener('error', count);
  inside.socketDataHandler = (data) => {
    bytes += data.length;
    const waiting = (messageParser.buffer?.length ?? 0) + data.length;
    if (bytes > MOST_BYTES || waiting > LONGEST_MESSAGE) end();
    else handle(data);
  };
}
