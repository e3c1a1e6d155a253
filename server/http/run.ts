import { CHECKED } from '#server/kernel/json-text.ts';
import type { Context, Procedure } from '#server/kernel/procedures.ts';

type Result = { ok: true; data: unknown } | { ok: false; error: Error };
type Next = { ctx?: object; input?: unknown; getRawInput?: () => Promise<unknown> };
type Call = {
  ctx: object;
  path: string;
  type: string;
  meta: unknown;
  input: unknown;
  getRawInput: () => Promise<unknown>;
  signal: AbortSignal | undefined;
  batchIndex: number;
  next: (next?: Next) => Promise<Result>;
};
type Middleware = ((call: Call) => Promise<Result>) & { _type?: string };

/** Runs one procedure with an input that is not read yet. */
export type Run = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<unknown>;

/**
 * How to run a procedure through its own middlewares: guard, input, resolver, exactly as tRPC's caller does, so that
 * both faces have one behaviour. tRPC copies the call with a transpiled object spread at every step, which costs more
 * than all the steps together (bench/http); this copies with the language's own.
 *
 * @returns a function that throws what the procedure throws; its guard has made it a TRPCError already
 */
export function runnerOf({ _def }: Procedure, path: string): Run {
  // tRPC types this member as internal; the parity test runs every operation on both faces and fails if it changes.
  const { middlewares } = _def as unknown as { middlewares: readonly Middleware[] };
  const { meta, type } = _def;
  // An answer passes its schema untouched unless tests check it (json-text.ts): in service the step does nothing.
  const steps = middlewares.filter((step) => CHECKED || step._type !== 'output');
  const noNext = () => Promise.reject(new Error('not running'));
  const run = (index: number, call: Call): Promise<Result> => {
    const step = steps[index];
    if (!step) throw new Error(`${path} has no resolver`);
    // Written out, so that every call has one shape: spreads of different objects make the engine give up on it.
    call.next = (next) =>
      run(index + 1, {
        ctx: next?.ctx ? { ...call.ctx, ...next.ctx } : call.ctx,
        path,
        type,
        meta,
        input: next && 'input' in next ? next.input : call.input,
        getRawInput: next?.getRawInput ?? call.getRawInput,
        signal: undefined,
        batchIndex: 0,
        next: noNext,
      });
    return step(call);
  };
  return async (ctx, getRawInput) => {
    const result = await run(0, {
      ctx,
      path,
      type,
      meta,
      input: undefined,
      getRawInput,
      signal: undefined,
      batchIndex: 0,
      next: noNext,
    });
    if (!result.ok) throw result.error;
    return result.data;
  };
}
