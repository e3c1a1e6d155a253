import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { openGit } from '#server/southbound/git/git.ts';
import type { HttpPort } from '#server/southbound/http/ports.ts';
import { openMail } from '#server/southbound/mail/mail.ts';
import { missingForGit, openRepository, serveHttp } from '../helpers/git/repositories.ts';
import { unique } from '../helpers/procedures.ts';
import { freePort } from '../helpers/processes/free-port.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';
import { openAuthority } from '../lab/certificates.ts';

const MIB = 1024 * 1024;
const service = await openService({}, { works: true });
const api = await service.as('admin');
const { platform } = service;

/** The time limits that requests to other systems have, which are lowered for these tests. */
const limits = new Set<number>();
const PATIENCE = { short: 1500, long: 30_000 };
let waiting: keyof typeof PATIENCE = 'long';
const http = platform.http;
const impatient: HttpPort = {
  connect: http.connect,
  send: (target, ...rest) => {
    limits.add(target.timeouts.request);
    return http.send({ ...target, timeouts: { connect: 2000, request: PATIENCE[waiting] } }, ...rest);
  },
};
Object.assign(platform, {
  http: impatient,
  git: openGit({ allowPrivateTargets: true, limits: { mostBytes: 4 * MIB, silentSeconds: 2 } }),
  mail: openMail({ allowPrivateTargets: true, timeouts: { connect: 2000, greeting: 1500, socket: 1500 } }),
});

beforeEach(() => {
  waiting = 'long';
});

const authority = openAuthority();
const tls = authority.issue({ names: ['127.0.0.1', 'localhost'] });

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const overHttp = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listening(createServer(listener))}`;

/** Sends as fast as it is read, without an end. */
const endless = (socket: {
  write: (part: Buffer) => boolean;
  once: (event: 'drain', then: () => void) => unknown;
}) => {
  const part = Buffer.alloc(256 * 1024, 'x');
  const more = () => {
    while (socket.write(part));
    socket.once('drain', more);
  };
  more();
};

type Fault = keyof typeof HTTP_FAULTS;

/** The faults of a server that speaks HTTP. Each returns its address. */
const HTTP_FAULTS = {
  unreachable: async () => `http://127.0.0.1:${await freePort()}`,
  silent: () => {
    waiting = 'short';
    return overHttp(() => undefined);
  },
  'of an unknown authority': async () =>
    `https://127.0.0.1:${await listening(createSecureServer(tls, (_, answer) => answer.end('{}')))}`,
  'rejecting the credentials': () =>
    overHttp((_, answer) => answer.writeHead(401).end('{"errors":["denied"]}')),
  'ending in the middle': () =>
    overHttp((_, answer) => {
      answer
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100_000 })
        .write('{"count":');
      setTimeout(() => answer.destroy(), 50);
    }),
  endless: () =>
    overHttp((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'application/json' });
      endless(answer);
    }),
};
const FAULTS = Object.keys(HTTP_FAULTS) as Fault[];

const failingConnections = async () => (await api.health.getConnections({})).results;
const expectInHealth = async (kind: string, name: string) =>
  expect(await failingConnections()).toContainEqual(
    expect.objectContaining({ kind, name, lastError: expect.stringMatching(/\S/) }),
  );

const SOURCE_ERRORS: Record<Fault, RegExp> = {
  unreachable: /refuses the connection/,
  silent: /no response within 1500 ms/,
  'of an unknown authority':
    /TLS failed .*: the certificate is not signed by a trusted authority; `ca` names/,
  'rejecting the credentials': /status 401/,
  'ending in the middle': /connection|ended/,
  endless: /33554432|32 MiB|larger/,
};

test.each(FAULTS)(
  'a source of each type that is %s is a named error on its page and in the health view, and brings no device',
  async (fault) => {
    const url = await HTTP_FAULTS[fault]();
    await Promise.all(
      (['netbox', 'nautobot', 'json', 'ansible', 'csv'] as const).map(async (type) => {
        const name = unique(type).replace(' ', '-');
        const source = { name, type, url: type === 'netbox' ? url : `${url}/x`, token: 'hush-hush-token' };
        const { _id } = (await api.inventory.createSource({ source } as never)).data;
        const { runId } = await api.inventory.syncSource({ id: _id });
        const run = await until('the end', async () => {
          const found = await api.inventory.getRun({ runId });
          return found.status === 'running' ? undefined : found;
        });
        expect(run).toMatchObject({ status: 'error', new: 0, changed: 0, gone: 0 });
        const { lastError } = await api.inventory.getSource({ id: _id });
        expect(lastError?.code).toMatch(/^[A-Z][A-Z_]+$/);
        expect(lastError?.message).toMatch(SOURCE_ERRORS[fault]);
        expect(JSON.stringify(run)).not.toContain('hush-hush');
        await expectInHealth('inventory source', name);
        expect((await api.inventory.listSelection({ selection: { sources: [name] } })).total).toBe(0);
      }),
    );
  },
);

test('a silent source has a minute for each request', () => {
  expect(limits).toContain(60_000);
});

test.each(FAULTS)(
  'a secret provider that is %s is a named error of its test, on its page and in the health view',
  async (fault) => {
    const url = await HTTP_FAULTS[fault]();
    const name = `vault-${FAULTS.indexOf(fault)}`;
    const provider = {
      name,
      kind: 'vault',
      url,
      auth: { method: 'token', token: 'hush-hush' },
      timeoutMs: 1000,
    };
    await api.secrets.createProvider({ provider } as never);
    const reason =
      fault === 'rejecting the credentials' ? 'SECRET_PROVIDER_DENIED' : 'SECRET_PROVIDER_UNREACHABLE';
    const use = { kind: 'adapters', name: 'tried', account: null };
    await expect(platform.secrets.resolve(`$SECRET_${name}:a`, use)).rejects.toMatchObject({
      extra: { reason },
    });
    expect(await api.secrets.getProvider({ name })).toMatchObject({
      lastError: expect.stringContaining(name),
      failingSince: expect.stringMatching(/^20/),
    });
    await expectInHealth('secret provider', name);
    expect(await api.secrets.testProvider({ name })).toMatchObject({
      ok: false,
      detail: expect.stringContaining(name),
    });
    const status = await service.send(null, 'GET', '/health/status');
    expect(status.text).toContain('{"service":"secrets","status":"degraded"}');
    await api.secrets.deleteProvider({ name });
  },
);

const CHANNELS = {
  webhook: (url: string) => ({ url, secret: 'hush-hush-hush-hush' }),
  slack: (url: string) => ({ webhookUrl: `${url}/services/hush-hush` }),
  teams: (url: string) => ({ webhookUrl: `${url}/services/hush-hush` }),
  pagerduty: (url: string) => ({ url, routingKey: 'h'.repeat(32) }),
};

const happen = (name: string) =>
  inTransaction(service.db, (tx) =>
    publish(tx, [
      {
        ...{ source: '@vendor/adapters', topic: 'adapterDown', subjects: [name], kind: 'adapter' },
        payload: { name, model: 'm', state: 'STOPPED', connection: 'OFFLINE', detail: 'no answer' },
      },
    ]),
  );

/** Sends an event through a channel, whose delivery must die with a named error. */
async function expectDead(channel: object, name: string) {
  const settings = { ...channel, name, retry: { attempts: 2, firstDelaySeconds: 0.1 } };
  const { _id } = (await api.notifications.createChannel({ channel: settings } as never)).data;
  const rule = { name, topics: ['adapterDown'], channels: [_id], filter: { subjects: [name] } };
  await api.notifications.createRule({ rule } as never);
  await happen(name);
  const [dead] = await until('the last attempt', async () => {
    const { list } = await api.notifications.listDeliveries({ queryOptions: { channel: _id, limit: 10 } });
    return list.some(({ status }) => status === 'dead') ? list : undefined;
  });
  expect(dead).toMatchObject({ attempts: 2, lastError: expect.stringMatching(/\S/) });
  expect(JSON.stringify(dead)).not.toContain('hush');
  expect((await api.notifications.getChannel({ id: _id })).state).toMatchObject({
    status: 'failing',
    dead: 1,
  });
  await expectInHealth('notification channel', name);
  expect(await api.notifications.testChannel({ id: _id })).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/\S/),
  });
}

/** No faults of a receiver: the status before such an answer has said that the notification is accepted. */
const ACCEPTING: readonly Fault[] = ['ending in the middle', 'endless'];

test.each(FAULTS.filter((fault) => !ACCEPTING.includes(fault)))(
  'a receiver of each format that is %s leaves its notification among the dead, with the reason in the health view',
  async (fault) => {
    const url = await HTTP_FAULTS[fault]();
    await Promise.all(
      Object.entries(CHANNELS).map(([type, of]) => expectDead({ type, ...of(url) }, unique(type))),
    );
  },
);

test.each(ACCEPTING)(
  'a receiver of each format that accepts a notification with an answer %s has it',
  async (fault) => {
    const url = await HTTP_FAULTS[fault]();
    for (const [type, of] of Object.entries(CHANNELS)) {
      const settings = { type, ...of(url), name: unique(type) };
      const { _id: id } = (await api.notifications.createChannel({ channel: settings } as never)).data;
      expect(await api.notifications.testChannel({ id })).toMatchObject({ ok: true });
    }
  },
);

const GREETING = '220 mail.example.net ESMTP\r\n';

/** The faults of a mail server. Each returns its port and what differs in the channel. */
const MAIL_FAULTS: Record<string, () => Promise<object>> = {
  unreachable: async () => ({ port: await freePort() }),
  silent: async () => ({ port: await listening(createTcpServer(() => undefined)) }),
  'of an unknown authority': async () => ({
    security: 'tls',
    port: await listening(createTlsServer(tls, (socket) => void socket.write(GREETING))),
  }),
  'without the encryption that is asked for': async () => ({
    security: 'starttls',
    port: await listening(
      createTcpServer((socket) => {
        socket.write(GREETING);
        socket.on('data', () => socket.write('250 mail.example.net\r\n'));
      }),
    ),
  }),
  'rejecting the credentials': async () => ({
    ...{ username: 'robot', password: 'hush-hush', security: 'tls', tls: { ca: authority.ca } },
    port: await listening(
      createTlsServer(tls, (socket) => {
        socket.write(GREETING);
        socket.on('data', (sent) => {
          const isHello = /^EHLO/i.test(sent.toString());
          socket.write(isHello ? '250-mail.example.net\r\n250 AUTH PLAIN LOGIN\r\n' : '535 5.7.8 denied\r\n');
        });
      }),
    ),
  }),
  'ending in the middle': async () => ({
    port: await listening(
      createTcpServer((socket) => {
        socket.write(GREETING);
        socket.once('data', () => socket.end('250-mail.exa'));
      }),
    ),
  }),
  endless: async () => ({ port: await listening(createTcpServer((socket) => endless(socket))) }),
};

test.each(Object.keys(MAIL_FAULTS))(
  'a mail server that is %s leaves its notification among the dead, with the reason in the health view',
  async (fault) => {
    const mail = {
      type: 'smtp',
      host: '127.0.0.1',
      security: 'none',
      from: 'a@example.net',
      to: ['b@example.net'],
    };
    await expectDead({ ...mail, ...(await MAIL_FAULTS[fault]?.()) }, unique(`mail ${fault}`));
  },
);

async function expectPullFails(url: string, message: RegExp) {
  const name = unique('Remote');
  const remote = { name, url, branch: 'main', kinds: ['deviceBackups'], direction: 'both' };
  const credential = { username: 'robot', token: 'hush-hush' };
  const { _id } = (await api.git.createRemote({ remote: { ...remote, credential } } as never)).data;
  const { runId } = await api.git.pull({ id: _id });
  const run = await until(
    'the end',
    async () => {
      const found = await api.git.getRun({ runId });
      return found.status === 'running' ? undefined : found;
    },
    120,
  );
  expect(run).toMatchObject({ status: 'error', documents: { new: [], changed: [], removed: [] } });
  expect(JSON.stringify(run.error)).toMatch(message);
  expect(JSON.stringify(run)).not.toContain('hush');
  await expectInHealth('git remote', name);
}

const GIT_ERRORS: Record<Fault, RegExp> = {
  unreachable: /connect|refused/i,
  silent: /slow|too slow|transferred/i,
  'of an unknown authority': /certificate/i,
  'rejecting the credentials': /401|authentication|terminal prompts|username/i,
  'ending in the middle': /not valid|unexpected|closed|end|outstanding|RPC/i,
  // whichever comes first: the limit of size, or of time on a busy machine
  endless: /limit|memory|alloc|large|not valid|did not finish/i,
};

test.skipIf(missingForGit.length > 0).each(FAULTS)(
  'a Git server that is %s fails the run with a named error, in the health view too, and nothing is stored',
  async (fault) => {
    await expectPullFails(`${await HTTP_FAULTS[fault]()}/a.git`, GIT_ERRORS[fault]);
  },
);

test.skipIf(missingForGit.length > 0)(
  'a repository that is larger than the limit fails the run by name',
  async () => {
    const repository = openRepository();
    await repository.opened;
    // Random bytes, which nothing makes smaller.
    const file = Buffer.from(crypto.getRandomValues(new Uint8Array(32 * 1024))).toString('base64');
    const parts = Array.from({ length: 100 }, (_, at) => {
      const text = `${at}${Buffer.from(crypto.getRandomValues(new Uint8Array(48 * 1024))).toString('base64')}${file}`;
      return `M 100644 inline device-backups/edge-${at}.cfg\ndata ${text.length}\n${text}\n`;
    });
    repository.feed(
      `commit refs/heads/main\ncommitter C <c@example.net> 1700000000 +0000\ndata 0\n${parts.join('')}\n`,
      'fast-import',
      '--quiet',
    );
    const url = await serveHttp(repository.folder, 'robot', 'hush-hush');
    await expectPullFails(`${url}/network/config.git`, /larger than 4 MiB/);
  },
);
