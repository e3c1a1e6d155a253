import type { Operation } from '#server/http/operations.ts';
import type { Role } from '#server/kernel/roles.ts';
import type { openService } from '../service.ts';

/** Most calls in one request. */
const MOST = 20;

/** The answer to one call. */
export type Called = { status: number; text: string };

type Result = { error?: { data: { httpStatus: number } } };

/**
 * Calls a procedure once for each input, up to 20 calls in a request: a request of its own costs as much as most calls. A
 * procedure that needs no credential cannot be part of a batch, and is called alone.
 *
 * @param call sends a request
 * @returns each input with its answer, in their order
 */
export async function* callEach<Input extends object>(
  call: Awaited<ReturnType<typeof openService>>['send'],
  as: Role | readonly Role[],
  { name, meta: { audience } }: Pick<Operation, 'name' | 'meta'>,
  inputs: readonly Input[],
): AsyncGenerator<Called & { input: Input }> {
  const size = audience === 'public' ? 1 : MOST;
  for (let at = 0; at < inputs.length; at += size) {
    const some = inputs.slice(at, at + size);
    const path = `/trpc/${some.map(() => name).join(',')}?batch=1`;
    const { status, text, json } = await call(as, 'POST', path, { ...some });
    const results = json as Result[];
    if (!Array.isArray(results) || results.length !== some.length)
      throw new Error(`a batch of ${name} answered ${status}: ${text.slice(0, 300)}`);
    for (const [index, input] of some.entries()) {
      const one = results[index];
      yield { input, status: one?.error?.data.httpStatus ?? 200, text: JSON.stringify(one) };
    }
  }
}
