import { type MessagePort, parentPort } from 'node:worker_threads';
import { ServiceError } from '#server/kernel/errors.ts';
import { type CliOptions, openCli } from '../cli.ts';
import type { CliRun, CliTarget, CommandResult, SessionFacts } from '../ports.ts';

/** What the thread is told by whoever wants sessions of its own: how to keep them, and where to be asked for them. */
export type NewSessions = { port: MessagePort; options: Omit<CliOptions, 'insecure'> };

/** One call, but for what cannot be sent: its signal is a message of its own. */
export type SessionCall =
  | {
      kind: 'run';
      target: CliTarget;
      commands: readonly string[];
      commandMs: number;
      otherwise: readonly string[] | undefined;
      /** Tell of each command as it ends. */
      tells: boolean;
    }
  | { kind: 'probe'; target: CliTarget };

export type ToSessions =
  | { kind: 'call'; id: number; asked: SessionCall }
  | { kind: 'abort'; id: number }
  | { kind: 'close' };

/** What a call gave. */
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

if (!parentPort) throw new Error('runs as a thread');
parentPort.on('message', serve);

/** Keep sessions for one asker until it says that it is done. */
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
