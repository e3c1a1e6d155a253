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
      tells: boolean;
    }
  | { kind: 'probe'; target: CliTarget };

export type ToSessions =
  | { kind: 'call'; id: number; asked: SessionCall }
  | { kind: 'abort'; id: number }
  | { kind: 'close' };

/** The result of a call. */
export type SessionReply = CliRun | { prompt: string; session: SessionFacts };

export type FromSessions =
  | { kind: 'insecure'; name: string }
  | { kind: 'result'; id: number; result: CommandResult }
  | { kind: 'answer'; id: number; answer: SessionReply }
  | {
      kind: 'refusal';
      id: number;
      refusal: Pick<ServiceError, 'code' | 'message' | 'extra' | 'headers'>;
    }
  | { kind: 'fault'; id: number; error: unknown }
  | { kind: 'closed' };

if (!parentPort) throw new Error('must run in a thread');
parentPort.on('message', serve);

/** Serves the calls of one port until it is closed. */
function serve({ port, options }: NewSessions) {
  const tell = (told: FromSessions) => port.postMessage(told);
  const cli = openCli({ ...options, insecure: (name) => tell({ kind: 'insecure', name }) });
  const calls = new Map<number, AbortController>();
  let closing = false;

  const answer = (id: number, asked: SessionCall, { signal }: AbortController): Promise<SessionReply> => {
    if (asked.kind === 'probe') return cli.probe(asked.target, signal);
    const { target, commands, commandMs, otherwise, tells } = asked;
    return cli.run(target, commands, {
      commandMs,
      signal,
      otherwise,
      ...(tells && { onResult: (result: CommandResult) => tell({ kind: 'result', id, result }) }),
    });
  };
  const endWhenIdle = () => {
    if (closing && calls.size === 0) port.close();
  };
  const take = async (id: number, asked: SessionCall) => {
    const call = new AbortController();
    calls.set(id, call);
    try {
      tell({ kind: 'answer', id, answer: await answer(id, asked, call) });
    } catch (error) {
      if (error instanceof ServiceError) {
        const { code, message, extra, headers } = error;
        tell({ kind: 'refusal', id, refusal: { code, message, extra, headers } });
      } else tell({ kind: 'fault', id, error });
    } finally {
      calls.delete(id);
      endWhenIdle();
    }
  };

  port.on('message', (told: ToSessions) => {
    if (told.kind === 'call') void take(told.id, told.asked);
    else if (told.kind === 'abort') calls.get(told.id)?.abort();
    else {
      closing = true;
      void cli.close().then(() => {
        tell({ kind: 'closed' });
        endWhenIdle();
      });
    }
  });
}
