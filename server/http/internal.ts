import { randomUUID } from 'node:crypto';
import { failureOf } from '#server/kernel/call-failures.ts';
import { notFound, ServiceError } from '#server/kernel/errors.ts';
import { JsonText, Lines, PlainText } from '#server/kernel/json-text.ts';
import type { Context, InternalGet, WorkPlatform } from '#server/kernel/platform.ts';

import { readUrl } from './input/input.ts';
import { listReaderOf } from './lists.ts';
import { openApi } from './openapi/served.ts';
import { endpoints, operations } from './operations.ts';
import { compilePaths } from './paths.ts';
import { runnerOf } from './run.ts';

/** Maximum number of characters of an answer, because a job has to store it. */
const MOST = 8 * 1024 * 1024;

/**
 * Returns a function that answers GET requests of this platform's own parts, without a connection: the same procedures as
 * for clients, with the rights of the given caller. Only procedures that read are served, and no streams.
 */
export function openInternal({
  db,
  platform,
}: {
  db: Context['db'];
  platform: WorkPlatform & Partial<Context['platform']>;
}): InternalGet {
  const paths = compilePaths(
    operations
      .filter(({ method, procedure }) => method === 'GET' && procedure._def.type === 'query')
      .flatMap((operation) => {
        const value = { operation, run: runnerOf(operation.procedure, operation.name) };
        return operation.patterns.map((pattern) => ({ method: 'GET', pattern, value }));
      }),
  );
  const whole = { ...platform, catalogue: endpoints, listReader: listReaderOf, openApi };
  return async (caller, target, signal) => {
    const at = target.indexOf('?');
    const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
    const found = paths.find('GET', path);
    if (!found) throw notFound('Endpoint', `GET ${path.slice(0, 200)}`);
    const { operation, run } = found.value;
    const ctx: Context = {
      db,
      platform: whole,
      request: {
        id: randomUUID(),
        address: '',
        face: 'rest',
        secure: true,
        ifMatch: null,
        basic: () => null,
        authenticate: async () => caller,
        again: async () => caller,
        gone: () => signal,
      },
      answer: { headers: {} },
    };
    const result = await run(ctx, async () => readUrl(operation, found.parameters, query)).catch(
      (error: unknown) => {
        const { cause } = failureOf(error);
        throw cause instanceof ServiceError ? cause : error;
      },
    );
    return bodyOf(result, path);
  };
}

/** Returns an answer as a value. @throws ServiceError for a stream, or one that is too long */
function bodyOf(result: unknown, path: string): unknown {
  if (result instanceof Lines) throw notFound('Endpoint', `GET ${path}`);
  const isText = result instanceof PlainText || result instanceof JsonText;
  const text = isText ? result.text : (JSON.stringify(result ?? null) as string);
  if (text.length > MOST)
    throw new ServiceError('PAYLOAD_TOO_LARGE', `The answer of ${path} has more than ${MOST} characters`);
  return result instanceof PlainText ? text : (JSON.parse(text) as unknown);
}
