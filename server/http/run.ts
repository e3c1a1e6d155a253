import { CHECKED } from '#server/kernel/json-text.ts';
import type { Context, Procedure } from '#server/kernel/procedures.ts';

type Result = { ok: true; data: unknown } | { ok: false; error: Error };
type Next = { ctx?: object; input?: unknown };
type Call = Parameters<Procedure>[0] & { meta: unknown; next: (next?: Next) => Promise<Result> };
type Middleware = ((call: Call) => Promise<Result>) & { _type?: string };

/** Runs one procedure with an input that has not been read yet. */
export type Run = (ctx: Context, getRawInput: () => Promise<unknown>) => Promise<unknown>;

/**
 * Returns a function that runs a procedure through its own middlewares (guard, input, resolver), as tRPC's caller does,
 * so that both faces behave alike. tRPC's caller copies the call twice at each step, which doubles the CPU time of a
 * small request (docs/decisions/0001); here all steps share one call, because each of them calls `next` once.
 *
 * @param path area and name of the procedure, joined by a dot
 * @returns a function that throws the errors of the procedure, which its guard has converted to TRPCError
 */
export function runnerOf({ _def }: Procedure, path: string): Run {
  // tRPC declares this field as internal; the parity test runs every operation on both faces and fails if it changes.
  const { middlewares, meta, type } = _def as typeof _def & { middlewares: readonly Middleware[] };
  // A result passes its schema unchanged unless tests check it (json-text.ts): in production the step does nothing.
  const steps = middlewares.filter((step) => CHECKED || step._type !== 'output');
  return async (ctx, getRawInput) => {
    let index = 0;
    const next = (given?: Next): Promise<Result> => {
      if (given?.ctx) call.ctx = { ...call.ctx, ...given.ctx };
      if (given && 'input' in given) call.input = given.input;
      const step = steps[index++];
      if (!step) throw new Error(`${path} has no resolver`);
      return step(call);
    };
    const call: Call = {
      ctx,
      path,
      type,
      meta,
      input: undefined,
      getRawInput,
      signal: undefined,
      batchIndex: 0,
      next,
    };
    const result = await next();
    if (!result.ok) throw result.error;
    return result.data;
  };
}
