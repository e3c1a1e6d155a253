import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Hono, Context as HonoContext } from 'hono';
import { applicationOf } from '#server/kernel/application-of.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { JsonText, LINE_TYPES, Lines, PlainText, TextParts } from '#server/kernel/json-text.ts';
import type { Context, Subscribed } from '#server/kernel/procedures.ts';
import { ListInPieces } from '#server/kernel/validation/list-in-pieces.ts';
import { eventStream, isSubscribed } from './event-stream.ts';
import { bodyLimitOf } from './input/body.ts';
import { takeToken } from './input/credential.ts';
import { readInput } from './input/input.ts';
import type { IncomingRequest } from './input/request.ts';
import { withWrittenNames } from './input/written-names.ts';
import type { Operation } from './operations.ts';
import { compilePaths } from './paths.ts';
import { runnerOf } from './run.ts';

/** The data of a request: Node's own objects and its id; once known, its route pattern and application. */
export type Bindings = HttpBindings & IncomingRequest & { route: string; application?: string };
export type Env = { Bindings: Bindings };

/** Answers one request, like Hono's `fetch`. */
export type Fetch = (request: Request, env: Bindings) => Response | Promise<Response>;

/** Dependencies of both faces: the context of a request, and the body limits in bytes. */
export type Face = {
  contextOf: (c: HonoContext<Env>, face: 'rest' | 'trpc', token: string | null) => Context;
  limits: { body: number; import: number };
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves every procedure that has a REST face at its documented path (contract/decisions#1). The procedure does the
 * work; this code only passes input and result, so that both faces behave alike.
 */
export function mountRest(
  app: Hono<Env>,
  { operations, contextOf, limits }: Face & { operations: Operation[] },
): void {
  const served = operations.map((operation) => ({
    operation,
    run: runnerOf(operation.procedure, operation.name),
    limit: bodyLimitOf(operation.meta, limits),
  }));
  const paths = compilePaths(
    served.flatMap((value) =>
      value.operation.patterns.map((pattern) => ({
        method: value.operation.method,
        pattern,
        value,
        fallback: value.operation.meta.fallback === true,
      })),
    ),
  );
  app.all('*', async (c) => {
    const { incoming } = c.env;
    const [path, query] = split(incoming.url ?? '/');
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    const found = paths.find(method, path);
    if (!found) return answerUnrouted(c, paths.methodsAt(path));
    const { operation, run, limit } = found.value;
    c.env.route = operation.path;
    c.env.application = applicationOf(operation.name);
    const { token, rest } = takeToken(query);
    const ctx = contextOf(c, 'rest', token);
    ctx.answer.status = operation.status;
    let input: Promise<unknown> | undefined;
    const written = new Set<string>();
    const running = run(ctx, () => {
      input ??= readInput(operation, found.parameters, rest, incoming, limit, written);
      return operation.resumes ? resumed(input, incoming) : input;
    }).catch((error: unknown) => {
      throw withWrittenNames(error, operation, written);
    });
    const result = await (operation.meta.pieces ? running.finally(() => closeLists(input)) : running);
    if (isSubscribed(result)) return streamOf(c.env, result, c.req.method);
    if (result instanceof Lines && c.req.method === 'HEAD') return headOf(c.env, result, ctx.answer);
    await endOfTurn();
    return answerOf(c.env, result, ctx.answer);
  });
}

/** Frees the lists in pieces of an input that was read. */
async function closeLists(input: Promise<unknown> | undefined): Promise<void> {
  const fields = (await input?.catch(() => null)) ?? {};
  for (const field of Object.values(fields)) if (field instanceof ListInPieces) await field.close();
}

/** Adds the `Last-Event-ID` of a browser that reconnects: it is later than the id in the page's original URL. */
async function resumed(input: Promise<unknown>, { headers }: IncomingMessage): Promise<unknown> {
  const given = headers['last-event-id'];
  const fields = (await input) as object;
  return typeof given === 'string' && given !== '' ? { ...fields, lastEventId: given } : fields;
}

/** Returns a streaming response; HEAD gets only its headers. */
async function streamOf(env: Bindings, subscribed: Subscribed<unknown>, method: string) {
  const headers = {
    ...baseHeaders(env),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // A proxy that buffers responses would hold every event back.
    'X-Accel-Buffering': 'no',
  };
  if (method !== 'HEAD') return new Response(eventStream(subscribed), { headers });
  await subscribed.return?.();
  return new Response(null, { headers });
}

let turn: Promise<void> | undefined;

/**
 * Resolves once everything that arrived in this turn of the event loop has been handled. Responses wait for it and are
 * written in one burst: a write may have to wake the reading process, which costs more than producing the response; in
 * a burst few writes do (bench/http).
 */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/**
 * Returns the response. Headers are passed as one plain object: setting each one costs more than the response (bench/http).
 */
function answerOf(env: Bindings, result: unknown, { status = 200, headers }: Context['answer']) {
  if (status === 204) return new Response(null, { status, headers: { ...baseHeaders(env), ...headers } });
  if (result instanceof Lines) return linesOf(env, result, status, headers);
  const isText = result instanceof PlainText;
  const text = isText
    ? result.body
    : result instanceof JsonText
      ? result.body
      : JSON.stringify(result ?? null);
  const all: Record<string, string> = baseHeaders(env);
  all['Content-Type'] = isText ? result.type : JSON_TYPE;
  for (const name in headers) all[name] = headers[name] ?? '';
  return new Response(text, { status, headers: all });
}

/** Streams lines as they are produced; when the client disconnects, the source is ended. */
function linesOf(env: Bindings, lines: Lines, status: number, headers: Record<string, string>) {
  const made = lines.source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await made.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(lines.textOf(value)));
    },
    async cancel() {
      await made.return?.();
    },
  });
  return new Response(body, { status, headers: headersOfLines(env, lines, headers) });
}

/** Answers HEAD for a result that is produced as it is read: nothing is produced, and what was reserved for it is free. */
async function headOf(env: Bindings, lines: Lines, { status = 200, headers }: Context['answer']) {
  await lines.source[Symbol.asyncIterator]().return?.();
  return new Response(null, { status, headers: headersOfLines(env, lines, headers) });
}

const headersOfLines = (env: Bindings, lines: Lines, headers: Record<string, string>) => ({
  ...baseHeaders(env),
  ...headers,
  'Content-Type':
    lines instanceof TextParts ? lines.type : `${lineType(env.incoming.headers.accept)}; charset=utf-8`,
});

/** Returns the type for lines of JSON, unless the client accepts only text. */
const lineType = (accept = '') => {
  const [lines, text] = LINE_TYPES;
  return accept.includes(text) && !accept.includes(lines) && !accept.includes('*/*') ? text : lines;
};

/** One year, for this host and its subdomains (RFC 6797). */
const HSTS = 'max-age=31536000; includeSubDomains';

/**
 * Returns the headers of every response. No response is cached, opened as a page, framed, or read by pages of other
 * sites beyond what CORS allows; public content (static files and pages) overrides this.
 */
export function baseHeaders({
  requestId,
  secure,
}: Pick<Bindings, 'requestId' | 'secure'>): Record<string, string> {
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  if (secure) headers['Strict-Transport-Security'] = HSTS;
  return headers;
}

/** Answers 405 with the supported methods when the path supports other methods, else 404. */
function answerUnrouted(c: HonoContext<Env>, methods: string[]): Response {
  if (methods.length === 0) {
    throw new ServiceError('NOT_FOUND', `No endpoint has this path; /openapi.json lists all endpoints`);
  }
  c.env.route = 'other method';
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (c.req.method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: { ...baseHeaders(c.env), Allow: allow } });
  }
  throw new ServiceError('METHOD_NOT_SUPPORTED', `This path allows ${allow}`, { headers: { Allow: allow } });
}

/** Splits a request target, which may also be a whole URL (RFC 9112, absolute form), into path and query. */
function split(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at < 0 ? [local || '/', ''] : [local.slice(0, at) || '/', local.slice(at + 1)];
}
