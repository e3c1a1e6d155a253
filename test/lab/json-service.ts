import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a route of a lab service receives it. */
export type Call = {
  /** What the groups of the path matched. */
  parts: string[];
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
};

export type Answer = { status: number; body?: unknown };

export type Route = { method: string; path: RegExp; run: (call: Call) => Answer };

/** A service of the lab. */
type Service = {
  /** Its OpenAPI document, and where anyone may read it. */
  document: object;
  documentPath: string;
  /** Value of the header `Authorization` that all other requests need. */
  authorization: string;
  routes: readonly Route[];
  reject: (status: number, message: string) => Answer;
};

const MOST_BYTES = 1024 * 1024;

/**
 * Opens a JSON service on a free port of 127.0.0.1. Its data is in memory only.
 *
 * @returns its port
 */
export async function openJsonService(service: Service): Promise<number> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answerTo(service, request);
    response.statusCode = status;
    if (body === undefined) response.end();
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answerTo(service: Service, request: IncomingMessage): Promise<Answer> {
  const { method = '', headers } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const text = await textOf(request);
  if (text === undefined) return service.reject(413, `A body has at most ${MOST_BYTES} bytes`);
  if (pathname === service.documentPath) return { status: 200, body: service.document };
  if (headers.authorization !== service.authorization)
    return service.reject(401, 'Invalid or missing credentials');
  const known = service.routes.filter(({ path }) => path.test(pathname));
  const route = known.find((one) => one.method === method);
  if (!route) return service.reject(known.length > 0 ? 405 : 404, `No ${method} ${pathname}`);
  const body = objectIn(text);
  if (!body) return service.reject(400, 'The body is not a JSON object');
  const parts = route.path.exec(pathname)?.slice(1) ?? [];
  return route.run({ parts, query, headers, body });
}

/** Returns the body; undefined: it is too long. The rest of it is read all the same, so that the answer arrives. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MOST_BYTES) parts.push(part);
  }
  return size > MOST_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a page of a list. Numbers of the query that cannot be read count as absent. */
export function pageOf<Item>(items: readonly Item[], query: URLSearchParams) {
  const number = (name: string, usual: number) => {
    const text = query.get(name) ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : usual;
  };
  const offset = number('offset', 0);
  const limit = Math.min(number('limit', 50) || 50, 1000);
  return { page: items.slice(offset, offset + limit), offset, limit };
}

/** Prints where the service can be reached, in a line of JSON, and ends the process when it is asked to. */
export function announce(place: { port: number; username: string; password: string }): void {
  process.stdout.write(`${JSON.stringify(place)}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
}

const JSON_TYPE = 'application/json';
const ANY_OBJECT = { type: 'object' };

/** An operation of an OpenAPI document. */
export const operation = (
  operationId: string,
  summary: string,
  {
    query = [],
    body,
    status = 200,
    ...more
  }: { query?: readonly string[]; body?: object; status?: number; [member: string]: unknown } = {},
) => ({
  operationId,
  summary,
  ...(query.length > 0 && {
    parameters: query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  }),
  ...(body && { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } }),
  responses: { [status]: { description: 'Done', content: { [JSON_TYPE]: { schema: ANY_OBJECT } } } },
  ...more,
});

/** The parameter of a path. */
export const inPath = (name: string, type: string) => ({
  parameters: [{ name, in: 'path', required: true, schema: { type } }],
});
