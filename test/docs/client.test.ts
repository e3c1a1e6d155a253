import { expect, test } from 'vitest';
import { createAdmin } from '#server/domains/identity/rights/seed.service.ts';
import { readQuery } from '#server/http/input/query.ts';
import { RELEASE } from '#server/kernel/config.ts';
import {
  ApiError,
  call,
  queryOf,
  tour as restTour,
  signIn as signInOverRest,
} from '../../docs/client/rest.ts';
import { connect, explain, isApiError, signIn, tour as typedTour } from '../../docs/client/typed.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const PASSWORD = 'correct horse battery staple';
await createAdmin(service.db, PASSWORD);

test('the typed example signs in, lists, reads, signs out, and identifies errors by their code', async () => {
  expect(await typedTour(service.url, 'admin', PASSWORD)).toEqual([
    'without a token: sign in first',
    `release ${RELEASE}, 1 account: admin of local`,
    expect.stringMatching(/^an account that nobody has: NOT_FOUND: .*f{24}/),
    'signed out: sign in first',
  ]);
});

test('the REST example does the same with nothing but fetch', async () => {
  expect(await restTour(service.url, 'admin', PASSWORD)).toEqual([
    'without a token: 401 UNAUTHORIZED',
    `release ${RELEASE}, 1 account: admin of local`,
    'an unknown parameter: 400 BAD_REQUEST',
    'signed out: 401 UNAUTHORIZED',
  ]);
});

test('a token of either face is good for both', async () => {
  const typed = await signIn(service.url, 'admin', PASSWORD);
  expect(await call(service.url, 'GET', '/version', { token: typed })).toBe(RELEASE);
  const rest = await signInOverRest(service.url, 'admin', PASSWORD);
  expect(await connect(service.url, rest).health.getVersion.query({})).toBe(RELEASE);
});

test('a wrong password is reported as such through REST and tRPC', async () => {
  const typed = await signIn(service.url, 'admin', 'wrong').catch((error: unknown) => error);
  expect(isApiError(typed) && typed.data?.code).toBe('UNAUTHORIZED');
  const rest = await signInOverRest(service.url, 'admin', 'wrong').catch((error: unknown) => error);
  expect(rest).toBeInstanceOf(ApiError);
  expect(rest).toMatchObject({ status: 401, code: 'UNAUTHORIZED', message: 'Invalid credentials' });
});

test('the explanation of the example names the rejected property', async () => {
  const client = connect(service.url);
  // @ts-expect-error a number is not what the schema asks for, and the compiler says so
  const rejected = await client.session.signIn.mutate({ username: 5 }).catch(explain);
  expect(rejected).toMatch(/^username: /);
});

test('the example writes options as the service reads them', () => {
  const query = {
    limit: 25,
    filter: { name: 'core & more', size: { min: 1 } },
    ids: ['a', 'b'],
    regex: false,
  };
  expect(readQuery(queryOf(query))).toEqual({
    limit: '25',
    filter: { name: 'core & more', size: { min: '1' } },
    ids: ['a', 'b'],
    regex: 'false',
  });
});
