import { fileURLToPath } from 'node:url';
import { type Client, Metadata, type MethodDefinition, type StatusObject } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { unprocessable } from '#server/kernel/errors.ts';
import type { GnoiTarget, TraceMessage, TraceRequest } from './ports.ts';

const definitions = loadSync('system.proto', {
  includeDirs: [fileURLToPath(new URL('.', import.meta.url))],
  keepCase: true,
  longs: String,
  enums: String,
  defaults: true,
});

// system.proto defines the request and response types of the methods.
const System = definitions['gnoi.system.System'] as unknown as {
  Time: MethodDefinition<object, { time: string }>;
  Traceroute: MethodDefinition<TraceRequest, TraceMessage>;
};

/** The final status of a call. */
export type CallStatus = { code: number; details: string };

/** Limits on the messages kept of one trace, and on their bytes as text, so that an endless stream cannot fill memory. */
const MOST_MESSAGES = 20_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Messages that are read without a pause: a flood of tiny ones would block this thread. */
const AT_ONCE = 100;

/** Returns the credential sent with every call (contract/engines#gnoi). @throws ServiceError UNPROCESSABLE_CONTENT */
function metadataOf({ name, username, password }: GnoiTarget): Metadata {
  const metadata = new Metadata();
  if (![username, password].every((text) => /^[\x20-\x7e]*$/.test(text))) {
    throw unprocessable(`${name}: gNOI supports username and password in printable ASCII only`);
  }
  if (username) metadata.set('username', username);
  if (password) metadata.set('password', password);
  return metadata;
}

/**
 * Runs a trace on a channel and collects the streamed messages; a failed call is returned as its status, not thrown.
 *
 * @param deadline milliseconds since 1970
 * @returns the status and the messages until then; `truncated`: there were too many
 * @throws ServiceError UNPROCESSABLE_CONTENT for a credential that a header cannot carry
 */
export function streamTrace(
  client: Client,
  target: GnoiTarget,
  request: TraceRequest,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<CallStatus & { messages: TraceMessage[]; truncated: boolean }> {
  const { path, requestSerialize, responseDeserialize } = System.Traceroute;
  const metadata = metadataOf(target);
  return new Promise((resolve) => {
    const messages: TraceMessage[] = [];
    let bytes = 0;
    let truncated = false;
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline },
    );
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    call.on('data', (message: TraceMessage) => {
      if (truncated) return;
      bytes += JSON.stringify(message).length;
      truncated = messages.length >= MOST_MESSAGES || bytes > MOST_BYTES;
      if (truncated) return cancel();
      messages.push(message);
      if (messages.length % AT_ONCE !== 0) return;
      call.pause();
      setImmediate(() => call.resume());
    });
    // The error event carries the same information as the status, and comes before "end".
    call.on('error', () => undefined);
    call.on('status', ({ code, details }: StatusObject) => {
      signal.removeEventListener('abort', cancel);
      // Messages received earlier are processed first.
      setImmediate(() => resolve({ code: truncated ? 0 : code, details, messages, truncated }));
    });
  });
}

/**
 * Reads the clock of a target; a failed call is returned as its status, not thrown.
 *
 * @param deadline milliseconds since 1970
 * @returns the status and the time: nanoseconds since 1970, as text
 * @throws ServiceError UNPROCESSABLE_CONTENT for a credential that a header cannot carry
 */
export function askTime(
  client: Client,
  target: GnoiTarget,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<CallStatus & { time: string }> {
  const { path, requestSerialize, responseDeserialize } = System.Time;
  const metadata = metadataOf(target);
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      metadata,
      { deadline },
      (error, answer) => {
        signal.removeEventListener('abort', cancel);
        resolve({ code: error?.code ?? 0, details: error?.details ?? '', time: answer?.time ?? '0' });
      },
    );
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
  });
}
