import type { HttpBindings } from '@hono/node-server';
import type { Hono, Context as HonoContext } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { PlainText, RawJson } from '#server/answer.ts';
import { ServiceError } from '#server/errors.ts';
import type { Context } from '#server/trpc.ts';
import { takeToken } from './credential.ts';
import { readInput } from './input.ts';
import type { Operation } from './operations.ts';
import { runnerOf } from './run.ts';

export type Env = { Bindings: HttpBindings; Variables: { requestId: string; route: string } };

/** What both faces need of the app: the context of a request, and how many bytes a body may have. */
export type Face = {
  contextOf: (c: HonoContext<Env>, face: 'rest' | 'trpc', token: string | null) => Context;
  limits: { body: number; import: number };
};

export const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Every procedure that has a REST face, at its documented path (decisions §1). The procedure itself does the work:
 * this only carries its input and its answer, so that both faces behave alike.
 */
export function mountRest(
  app: Hono<Env>,
  { operations, contextOf, limits }: Face & { operations: Operation[] },
) {
  const paths = new TrieRouter<Operation>();
  for (const operation of operations) {
    const { name, procedure, meta } = operation;
    const run = runnerOf(procedure, name);
    const limit = meta.bodyLimit === 'import' ? limits.import : limits.body;
    for (const pattern of operation.patterns) paths.add(operation.method, pattern, operation);
    app.on(operation.method, operation.patterns, async (c) => {
      c.set('route', operation.path);
      const { incoming } = c.env;
      const { token, rest } = takeToken(queryOf(incoming.url ?? ''));
      const ctx = contextOf(c, 'rest', token);
      ctx.answer.status = operation.status;
      let input: Promise<unknown> | undefined;
      const result = await run(ctx, () => {
        input ??= readInput(operation, c.req.param(), rest, incoming, limit);
        return input;
      });
      return answerOf(ctx.request.id, result, ctx.answer);
    });
  }
  app.notFound((c) => refuseUnrouted(c, paths));
}

/** Headers go out in one plain object: set one by one, they cost more than the answer (bench/http). */
function answerOf(requestId: string, result: unknown, { status = 200, headers }: Context['answer']) {
  const common = { ...standing(requestId), ...headers };
  if (status === 204) return new Response(null, { status, headers: common });
  if (result instanceof PlainText) {
    return new Response(result.text, { status, headers: { ...common, 'Content-Type': result.type } });
  }
  const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null);
  return new Response(text, { status, headers: { ...common, 'Content-Type': JSON_TYPE } });
}

/** What stands on every answer. */
export const standing = (requestId: string) => ({
  'X-Request-Id': requestId,
  'X-Content-Type-Options': 'nosniff',
});

/** A path that is known under other methods answers 405 and names them; any other is 404. */
function refuseUnrouted(c: HonoContext<Env>, paths: TrieRouter<Operation>): Response {
  const path = c.req.path.replace(/(?<=.)\/+$/, '');
  const { method } = c.req;
  const allowed = METHODS.filter((one) => paths.match(one, path)[0].length > 0);
  if (allowed.length === 0) {
    throw new ServiceError('NOT_FOUND', `No endpoint at this path; /openapi.json lists them all`);
  }
  if (allowed.includes('GET')) allowed.push('HEAD');
  allowed.push('OPTIONS');
  c.set('route', 'other method');
  const allow = allowed.join(', ');
  if (method === 'OPTIONS') return c.body(null, 204, { ...standing(c.get('requestId')), Allow: allow });
  throw new ServiceError('METHOD_NOT_SUPPORTED', `This path answers ${allow}`, { headers: { Allow: allow } });
}

/** What stands behind the first `?`. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
