import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { AppRouter } from '#routers/index.ts';
import { isApiError } from '../../docs/client/typed.ts';
import { openService } from '../helpers/service.ts';

const service = await openService({ BODY_LIMIT_MIB: '1' });
const url = `${service.url}/trpc`;

/** A typed client as an account with this role, or nobody; every request id that it was answered is kept. */
async function clientOf(role: 'admin' | 'other' | null) {
  const ids: (string | null)[] = [];
  const Authorization = role && `Bearer ${(await service.callerWith(role)).token}`;
  const client = createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url,
        headers: () => (Authorization ? { Authorization } : {}),
        fetch: async (input, init) => {
          const answer = await fetch(input, init as RequestInit);
          ids.push(answer.headers.get('x-request-id'));
          return answer;
        },
      }),
    ],
  });
  return { client, ids };
}

/** The error that a typed client receives; fails for anything else that is thrown. */
async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error) || !error.data) throw error;
  return { message: error.message, data: error.data };
}

test('a typed client receives code, status and request id, and never a stack', async () => {
  const { client, ids } = await clientOf(null);
  const { data, message } = await refusalOf(client.health.getVersion.query({}));
  expect(message).toBe('Sign in first: no credential was presented');
  expect(data).toEqual({
    code: 'UNAUTHORIZED',
    httpStatus: 401,
    path: 'health.getVersion',
    requestId: ids[0],
  });
});

test('a typed client receives the role that it lacks', async () => {
  const { client } = await clientOf('other');
  const { data, message } = await refusalOf(client.health.getMetrics.query({}));
  expect(data).toMatchObject({ code: 'FORBIDDEN', httpStatus: 403 });
  expect(message).toContain('admin, apiread');
});

test('a typed client receives every rejected property', async () => {
  const { client } = await clientOf(null);
  const wrong = { user: { username: 'a', password: 'b', colour: 'red' }, username: 5 } as object;
  const { data } = await refusalOf(client.session.signIn.mutate(wrong));
  expect(data.code).toBe('BAD_REQUEST');
  expect(data.issues?.map(({ path }) => path.join('.')).sort()).toEqual(['user.colour', 'username']);
});

test('a typed client receives for each call of a batch that the batch is too long', async () => {
  const { client, ids } = await clientOf(null);
  const calls = Array.from({ length: 21 }, () => refusalOf(client.health.getStatus.query({})));
  for (const { data } of await Promise.all(calls)) {
    expect(data).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 400, requestId: ids[0] });
  }
  expect(ids).toHaveLength(1);
});

test('a typed client receives that a body is too long', async () => {
  const { client, ids } = await clientOf(null);
  const password = 'x'.repeat(1024 * 1024);
  const { data } = await refusalOf(client.session.signIn.mutate({ user: { username: 'ops', password } }));
  expect(data).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', httpStatus: 413, requestId: ids[0] });
});

test('a typed client receives that a query is too long for a URL, alone and in a batch', async () => {
  const { client, ids } = await clientOf('admin');
  const queryOptions = { equals: 'x'.repeat(20_000), equalsField: 'username' };
  const long = () => refusalOf(client.authorization.listAccounts.query({ queryOptions }));
  const refused = [await long(), ...(await Promise.all([long(), long()]))];
  for (const { data, message } of refused) {
    expect(message).toContain('larger than 16 KiB');
    expect(data).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 431 });
    expect(ids).toContain(data.requestId);
  }
});

test('a typed client receives the name of an unknown procedure', async () => {
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url })] });
  const untyped = client as unknown as { nothing: { there: { query: () => Promise<unknown> } } };
  const { data } = await refusalOf(untyped.nothing.there.query());
  expect(data).toMatchObject({ code: 'NOT_FOUND', httpStatus: 404 });
});

test('a typed client receives only the request id of a fault', async () => {
  const { client, ids } = await clientOf('admin');
  service.platform.accessChanged();
  await service.db.execute(sql`alter table sessions rename to lost`);
  try {
    const { data, message } = await refusalOf(client.health.getVersion.query({}));
    expect(message).toBe('Internal error');
    expect(data).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      httpStatus: 500,
      path: 'health.getVersion',
      requestId: ids[0],
    });
    const logged = service.logged.find((line) => line.includes('internal error'));
    expect(logged).toContain(ids[0]);
    expect(logged).toContain('sessions');
  } finally {
    await service.db.execute(sql`alter table lost rename to sessions`);
  }
});
