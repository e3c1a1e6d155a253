import { type MessagePort, parentPort } from 'node:worker_threads';
import { ServiceError } from '#server/kernel/errors.ts';
import { type CliOptions, openCli } from '../cli.ts';
import type { CliRun, CliTarget, CommandResult, SessionFacts } from '../ports.ts';

/** The first message to the thread: the port for calls, and the options of the sessions. */
export type NewSessions = { port: MessagePort; options: Omit<CliOptions, 'insecure'> };

/** The part of a call that can be sent to a thread; aborting it is a separate message. */
export type SessionCall =
  | {
      kind: 'run';
      target: CliTarget;
      commands: readonly string[];
      commandMs: number;
      otherwise: readonly string[] | undefined;
      /** Report each command when it ends. */
      reportsResults: boolean;
    }
  | { kind: 'probe'; target: CliTarget };

export type ToSessions =
  | { kind: 'call'; id: number; call: SessionCall }
  | { kind: 'abort'; id: number }
  | { kind: 'close' };

/** The result of a call. */
export type SessionReply = CliRun | { prompt: string; session: SessionFacts };

export type FromSessions =
  | { kind: 'ready' }
  | { kind: 'insecure'; name: string }
  | { kind: 'result'; id: number; result: CommandResult }
  | { kind: 'answer'; id: number; answer: SessionReply }
  | {
      kind: 'serviceError';
      id: number;
      error: Pick<ServiceError, 'code' | 'message' | 'extra' | 'headers'>;
    }
  | { kind: 'fault'; id: number; error: unknown }
  | { kind: 'closed' };

if (!parentPort) throw new Error('must run in a thread');
parentPort.on('message', serve);

/** Serves the calls of one port until it is closed. */
function serve({ port, options }: NewSessions) {
  const post = (message: FromSessions) => port.postMessage(message);
  const cli = openCli({ ...options, insecure: (name) => post({ kind: 'insecure', name }) });
  const calls = new Map<number, AbortController>();
  let closing = false;
  post({ kind: 'ready' });

  const answer = (id: number, call: SessionCall, { signal }: AbortController): Promise<SessionReply> => {
    if (call.kind === 'probe') return cli.probe(call.target, signal);
    const { target, commands, commandMs, otherwise, reportsResults } = call;
    return cli.run(target, commands, {
      commandMs,
      signal,
      otherwise,
      ...(reportsResults && { onResult: (result: CommandResult) => post({ kind: 'result', id, result }) }),
    });
  };
  const endWhenIdle = () => {
    if (closing && calls.size === 0) port.close();
  };
  const take = async (id: number, sessionCall: SessionCall) => {
    const call = new AbortController();
    calls.set(id, call);
    try {
      post({ kind: 'answer', id, answer: await answer(id, sessionCall, call) });
    } catch (error) {
      if (error instanceof ServiceError) {
        const { code, message, extra, headers } = error;
        post({ kind: 'serviceError', id, error: { code, message, extra, headers } });
      } else post({ kind: 'fault', id, error });
    } finally {
      calls.delete(id);
      endWhenIdle();
    }
  };

  port.on('message', (message: ToSessions) => {
    if (message.kind === 'call') void take(message.id, message.call);
    else if (message.kind === 'abort') calls.get(message.id)?.abort();
    else {
      closing = true;
      void cli.close().then(() => {
        post({ kind: 'closed' });
        endWhenIdle();
      });
    }
  });
}
