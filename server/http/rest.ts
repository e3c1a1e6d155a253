import type { HttpBindings } from '@hono/node-server';
import type { Hono, Context as HonoContext } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { StatusCode } from 'hono/utils/http-status';
import { PlainText, RawJson } from '#server/answer.ts';
import { ServiceError } from '#server/errors.ts';
import type { Context } from '#server/trpc.ts';
import { takeToken } from './credential.ts';
import { readInput } from './input.ts';
import type { Operation } from './operations.ts';

export type Env = { Bindings: HttpBindings; Variables: { requestId: string; route: string } };

type Rest = {
  operations: Operation[];
  contextOf: (c: HonoContext<Env>, face: 'rest' | 'trpc', token: string | null) => Context;
  limits: { body: number; import: number };
};

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Every procedure that has a REST face, at its documented path (decisions §1). The procedure itself does the work:
 * this only carries its input and its answer, so that both faces behave alike.
 */
export function mountRest(app: Hono<Env>, { operations, contextOf, limits }: Rest) {
  const paths = new TrieRouter<Operation>();
  for (const operation of operations) {
    const { name, procedure, meta } = operation;
    const limit = meta.bodyLimit === 'import' ? limits.import : limits.body;
    for (const pattern of operation.patterns) paths.add(operation.method, pattern, operation);
    app.on(operation.method, operation.patterns, async (c) => {
      c.set('route', operation.path);
      const { incoming } = c.env;
      const { token, rest } = takeToken(queryOf(incoming.url ?? ''));
      const ctx = contextOf(c, 'rest', token);
      let input: Promise<unknown> | undefined;
      const result = await procedure({
        ctx,
        path: name,
        type: procedure._def.type,
        input: undefined,
        getRawInput: () => {
          input ??= readInput(operation, c.req.param(), rest, incoming, limit);
          return input;
        },
        signal: undefined,
        batchIndex: 0,
      });
      return answerOf(c, result, ctx.answer);
    });
  }
  app.notFound((c) => refuseUnrouted(c, paths));
}

function answerOf(c: HonoContext<Env>, result: unknown, answer: Context['answer']) {
  for (const [name, value] of Object.entries(answer.headers)) c.header(name, value);
  const status = (answer.status ?? 200) as StatusCode;
  if (status === 204) return c.body(null, 204);
  c.status(status);
  if (result instanceof PlainText) {
    c.header('Content-Type', result.type);
    return c.body(result.text);
  }
  c.header('Content-Type', JSON_TYPE);
  return c.body(result instanceof RawJson ? result.text : JSON.stringify(result ?? null));
}

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
  if (method === 'OPTIONS') return c.body(null, 204, { Allow: allow });
  throw new ServiceError('METHOD_NOT_SUPPORTED', `This path answers ${allow}`, { headers: { Allow: allow } });
}

/** What stands behind the first `?`. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
