import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createAdmin } from '#server/domains/identity/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import { describeTypes } from '../../docs/client/types.mjs';
import { runFile } from '../helpers/processes/run-file.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const PASSWORD = 'correct horse battery staple';
await createAdmin(service.db, PASSWORD);
const folder = join(inject('folder'), `clients-${process.pid}`);
mkdirSync(join(folder, 'node_modules', '@switchyard'), { recursive: true });

/** An EventSource over `fetch`, with the option that the npm package `eventsource` has too. */
const EVENT_SOURCE = `export class EventSource extends EventTarget {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 2;
  CLOSED = 2;
  readyState = 0;
  #ending = new AbortController();
  constructor(url, { fetch = globalThis.fetch } = {}) {
    super();
    this.#read(fetch(url, { headers: { Accept: 'text/event-stream' }, signal: this.#ending.signal })).catch(() => this.close());
  }
  close() {
    this.readyState = 2;
    this.#ending.abort();
  }
  async #read(answering) {
    const answer = await answering;
    if (!answer.ok) throw this.dispatchEvent(Object.assign(new Event('error'), { status: answer.status }));
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    let text = '';
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\\n\\n');
      text = blocks.pop();
      for (const block of blocks) {
        const of = (name) => block.split('\\n').find((line) => line.startsWith(name + ':'))?.slice(name.length + 1).trim();
        if (of('data') === undefined) continue;
        this.dispatchEvent(new MessageEvent(of('event') ?? 'message', { data: of('data'), lastEventId: of('id') ?? '' }));
      }
    }
  }
}
`;

test('the packed npm package has a working client, and types that find mistakes', async () => {
  const installed = join(folder, 'node_modules', '@switchyard', 'client');
  mkdirSync(installed, { recursive: true });
  execFileSync(process.execPath, ['deploy/clients/build-typescript.mjs', join(folder, 'build')]);
  // Installs the packed archive, which holds the same files as a download from a registry.
  const packed = execFileSync('npm', ['pack', './build', '--silent'], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['-xzf', join(folder, packed), '-C', installed, '--strip-components=1']);
  for (const scope of ['@trpc', 'zod'])
    symlinkSync(resolve('node_modules', scope), join(folder, 'node_modules', scope));
  writeFileSync(join(folder, 'event-source.mjs'), EVENT_SOURCE);
  const program = `import { createClient, isSwitchyardError, signIn } from '@switchyard/client';
// @ts-ignore: a class without types
import { EventSource } from './event-source.mjs';
const [url = '', password = ''] = process.argv.slice(2);
const token = await signIn(url, 'admin', password);
const client = createClient({ url, token: () => token });
const [version, { total }] = await Promise.all([
  client.health.getVersion.query({}),
  client.authorization.listAccounts.query({ queryOptions: { limit: 1 } }),
]);
const error = await createClient({ url }).health.getVersion.query({}).catch((caught: unknown) => caught);
const live = createClient({ url, token: () => token, EventSource });
const heard = new Promise((resolve, reject) => {
  const started = live.events.stream.subscribe({}, {
    onData: ({ data }) => (resolve(data.topic), started.unsubscribe()),
    onError: reject,
    onStarted: () => void client.configurationManager.createTree.mutate({ name: 'Heard', deviceType: 'cisco-ios' }),
  });
});
console.log(JSON.stringify([version, total, isSwitchyardError(error) && error.data?.code, await heard]));
`;
  writeFileSync(join(folder, 'try.mts'), program);
  writeFileSync(
    join(folder, 'wrong.mts'),
    `import { createClient } from '@switchyard/client';
// @ts-expect-error the option is a number
await createClient({ url: '' }).authorization.listAccounts.query({ queryOptions: { limit: 'x' } });
// @ts-expect-error there is no such procedure
await createClient({ url: '' }).authorization.listNothing.query({});
`,
  );
  const [, readme = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(installed, 'README.md'), 'utf8')) ?? [];
  expect(readme).toContain('createClient');
  writeFileSync(join(folder, 'readme.mts'), readme);
  // The settings that `tsc --init` proposes, and the stricter ones that projects add.
  const options = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ verbatimModuleSyntax: true, isolatedModules: true, skipLibCheck: true, noEmit: true },
    ...{ target: 'es2023', lib: ['es2023', 'dom'], types: [] },
  };
  // Projects resolve modules in either manner, and compile with either compiler.
  for (const [compiler, resolution] of [
    ['typescript', { module: 'nodenext' }],
    ['@typescript/native', { module: 'esnext', moduleResolution: 'bundler' }],
  ] as const) {
    const compilerOptions = { ...options, ...resolution };
    const include = ['wrong.mts', 'readme.mts'];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    const tsc = [resolve('node_modules', compiler, 'bin', 'tsc'), '-p', folder];
    const checked = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
    expect([resolution, checked.stdout]).toEqual([resolution, '']);
  }
  const said = await runFile(process.execPath, [
    '--import',
    'tsx',
    join(folder, 'try.mts'),
    service.url,
    PASSWORD,
  ]);
  expect(JSON.parse(said)).toEqual([RELEASE, 1, 'UNAUTHORIZED', 'configurationChanged']);
}, 600_000);

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

test('a project of its own compiles against the package of types', () => {
  // Writing the declarations takes the compiler seconds: those of the client before are the same.
  const own = join(inject('folder'), `types-${process.pid}`);
  const types = join(own, 'node_modules', '@switchyard', 'client-types');
  for (const part of ['db', 'routers', 'server'])
    cpSync(join(folder, 'build', part), join(types, part), { recursive: true });
  describeTypes(types);
  expect(JSON.parse(readFileSync(join(types, 'package.json'), 'utf8'))).toMatchObject({ version: RELEASE });
  symlinkSync(resolve('node_modules', '@trpc'), join(own, 'node_modules', '@trpc'));
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
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(own, 'main.ts'), CONSUMER);
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  const tsc = [resolve('node_modules/@typescript/native/bin/tsc'), '-p', own];
  expect(spawnSync(process.execPath, tsc, { encoding: 'utf8' }).stdout).toBe('');
}, 600_000);

const hasPython = spawnSync('python3', ['--version']).error === undefined;
test.skipIf(!hasPython)(
  'the Python client signs in, lists, and raises errors with code and issues, in asyncio too',
  async () => {
    const file = join(folder, 'switchyard_client.py');
    // A redirect is an error, because what it names would receive the token.
    const redirecting = createServer((_, answer) => {
      answer.writeHead(302, { Location: `${service.url}/version` }).end();
    });
    redirecting.listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    onTestFinished(() => void redirecting.close());
    const { port } = redirecting.address() as AddressInfo;
    const build = ['--import', 'tsx', 'deploy/clients/build-python.mjs', file];
    const wrong = spawnSync(process.execPath, [...build, 'https://127.0.0.1:1'], { encoding: 'utf8' });
    expect(wrong.stderr).toMatch(
      /^https:\/\/127\.0\.0\.1:1\/openapi\.json cannot be read \(.+\): name a service that runs, or no address for that of these sources\n$/,
    );
    await runFile(process.execPath, [...build, service.url]);
    writeFileSync(
      join(folder, 'try.py'),
      `import asyncio, json, sys
from switchyard_client import AsyncClient, Client, SwitchyardError
client = Client(sys.argv[1], username="admin", password=sys.argv[2])
accounts = client.authorization.list_accounts(limit=1, filter={"username": "admin"})
try:
    client.authorization.list_accounts(limit=-1)
except SwitchyardError as error:
    failure = [error.status, error.code, len(error.issues)]
try:
    Client(sys.argv[3], token="other").health.get_version()
except SwitchyardError as error:
    failure.append(error.status)
group = client.authorization.create_group({"group": {"name": "of python", "description": "é"}})
async def together():
    other = await AsyncClient.connect(sys.argv[1], username="admin", password=sys.argv[2])
    calls = [other.health.get_version(), other.authorization.list_accounts(limit=1), other.authorization.list_accounts(limit=-1)]
    version, listed, wrong = await asyncio.gather(*calls, return_exceptions=True)
    me = await other.request("GET", "/whoami", {}, {})
    try:
        other.health.get_nothing
    except AttributeError as error:
        return [version, listed["total"], wrong.code, me["username"], str(error)]
print(json.dumps([client.health.get_version(), accounts["total"], failure, group["data"]["name"], asyncio.run(together())]))
`,
    );
    const said = await runFile('python3', [
      join(folder, 'try.py'),
      service.url,
      PASSWORD,
      `http://127.0.0.1:${port}`,
    ]);
    const together = [RELEASE, 1, 'BAD_REQUEST', 'admin', expect.stringContaining('get_nothing')];
    expect(JSON.parse(said)).toEqual([RELEASE, 1, [400, 'BAD_REQUEST', 1, 302], 'of python', together]);
  },
);
