import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
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
import { isLong } from '../helpers/long.ts';
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

const folder = mkdtempSync(join(tmpdir(), 'switchyard-client-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A project that knows nothing of ours but the package of types. */
const CONSUMER = `
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from '@switchyard/client-types';

const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: 'http://127.0.0.1:3000/trpc' })] });
const apps: 'running' | 'degraded' | 'stopped' = (await client.health.getStatus.query({})).apps;
// @ts-expect-error an answer has no such member
(await client.health.getStatus.query({})).colour;
// @ts-expect-error an input is typed
await client.health.getStatus.query({ 'exclude-services': 'yes' });
// @ts-expect-error there is no such procedure
client.health.nothing;
try {
  await client.session.signIn.mutate({ user: { username: 'ops', password: 'x' } });
} catch (error) {
  const told = error as TRPCClientError<AppRouter>;
  const path: (string | number)[] | undefined = told.data?.issues?.[0]?.path;
  const requestId: string | undefined = told.data?.requestId;
  // @ts-expect-error a code is one of those there are
  if (told.data?.code === 'NOT_FOUNDD') throw error;
  // @ts-expect-error no stack
  told.data?.stack;
  if (told.data?.code === 'NOT_FOUND') throw new Error([path, requestId, apps].join());
}
`;

test.skipIf(!isLong)('a project of its own compiles against the package of types', () => {
  const types = join(folder, 'node_modules/@switchyard/client-types');
  execFileSync(process.execPath, ['docs/client/types.mjs', types], { stdio: 'pipe' });
  expect(JSON.parse(readFileSync(join(types, 'package.json'), 'utf8'))).toMatchObject({ version: RELEASE });
  const require = createRequire(import.meta.url);
  mkdirSync(join(folder, 'node_modules/@trpc'));
  for (const name of ['@trpc/client', '@trpc/server']) {
    symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(folder, 'node_modules', name));
  }
  const compilerOptions = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'main.ts'), CONSUMER);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  // It throws, with what the compiler says, when there is anything to say.
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder], { stdio: 'pipe' });
});
