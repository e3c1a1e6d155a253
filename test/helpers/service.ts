import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, expect } from 'vitest';
import { type Database, rows } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { appRouter } from '#routers/index.ts';
import { composeService } from '#server/app/open-service.ts';
import { seed } from '#server/app/seeds.ts';
import type { TlsPair } from '#server/app/tls.ts';
import { workersOf } from '#server/app/work/worker-registry.ts';
import { openDispatch } from '#server/domains/notifications/index.ts';
import { startEvents } from '#server/domains/workflow/events/work.service.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { startEngine } from '#server/durable/engine.ts';
import { endpoints } from '#server/http/operations.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openLog } from '#server/kernel/observability/log.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { ROLES, type Role } from '#server/kernel/roles.ts';
import { openVault, sha256 } from '#server/kernel/secrets/vault.ts';
import { recordStatuses } from './http/declared-statuses.ts';
import { storeAccount } from './identity/stored-accounts.ts';
import { openTestDatabase, seededTemplate } from './postgres.ts';

/** An answer as a client sees it. */
export type Answer = { status: number; headers: Record<string, string>; text: string; json: unknown };

type Send = { headers?: Record<string, string>; raw?: string | Buffer };

/** The caller: one of the roles alone, several, or nobody. */
type As = Role | readonly Role[] | null;

/** The test file that opened a service last. */
let lastFile: string | undefined;
/** Ends the open services. Those of a file whose tests are all skipped are still open in the next one: Vitest runs no `afterAll` there. */
const open = new Set<() => Promise<void>>();

/**
 * A service of its own for this test file: own database, real HTTP on a free port, accounts with exactly one role.
 * It is stopped after the file. What a service stores at its first start is copied for the first service of a file; any
 * further one stores it itself, so that the ids of roles and parsers differ between two services.
 *
 * @param runs how its jobs do tasks, where a test brings some of its own
 * @param unreadMs time after which a client that reads no answer is disconnected, where a test cannot wait for the usual one
 * @param tls certificate and key with which it serves HTTPS; `send` cannot be used then
 * @param works it does durable work as well: one such service a test file, for the engine keeps its state in the process
 */
export async function openService(
  environment: Record<string, string> = {},
  {
    works = false,
    runs,
    unreadMs,
    tls,
  }: { works?: boolean; runs?: RunOf; unreadMs?: number; tls?: TlsPair } = {},
) {
  const config = readConfig({ ALLOW_PRIVATE_TARGETS: '1', ...environment });
  const isFirst = expect.getState().testPath !== lastFile;
  lastFile = expect.getState().testPath;
  if (isFirst) for (const end of open) await end();
  const store = (db: Database) => seed(db, { catalogue: endpoints, config });
  const database = await openTestDatabase(isFirst ? await seededTemplate(store) : undefined);
  if (!isFirst) await store(database.db);
  const logged: string[] = [];
  const log = openLog('trace', { write: (line: string) => void logged.push(line) });
  const key = randomBytes(32);
  const vault = openVault(key);
  const { server, platform, channels } = composeService({
    config,
    db: database.db,
    vault,
    log,
    ...(unreadMs && { unreadMs }),
    ...(tls && { tls }),
  });
  const undeclared = recordStatuses(platform.metrics);
  const engine = works
    ? await startEngine({
        connection: database.connection,
        log,
        workers: workersOf(config, {
          db: database.db,
          now: platform.now,
          log,
          platform,
          ...(runs && { runs }),
        }),
      })
    : undefined;
  const deafen = await listen(database.connection, channels);
  const settle = await startEvents({
    db: database.db,
    log,
    kept: config.events.kept,
    ...(works && {
      durable: platform.durable,
      others: await openDispatch({
        db: database.db,
        durable: platform.durable,
        admins: async () => (await platform.access.rules()).admins,
      }),
    }),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const callers = new Map<string, Promise<{ caller: Caller; token: string }>>();
  const callerWith = (wanted: Exclude<As, null>) => {
    const roles = typeof wanted === 'string' ? [wanted] : wanted;
    const key = roles.join(' ');
    let made = callers.get(key);
    if (!made) {
      made = makeCaller(database.db, roles);
      callers.set(key, made);
    }
    return made;
  };

  /** One request over real HTTP; a body is sent as JSON unless `raw` is given. */
  const send = async (
    as: As,
    method: string,
    path: string,
    body?: unknown,
    options: Send = {},
  ): Promise<Answer> => {
    const token = as === null ? null : (await callerWith(as)).token;
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method,
          path,
          headers: {
            ...(token && { Authorization: `Bearer ${token}` }),
            ...(payload !== undefined && {
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(payload),
            }),
            ...options.headers,
          },
        },
        (got) => {
          const parts: Buffer[] = [];
          got.on('data', (part: Buffer) => parts.push(part));
          got.on('error', reject);
          got.on('end', () => {
            const text = Buffer.concat(parts).toString('utf8');
            resolve({
              status: got.statusCode ?? 0,
              headers: got.headers as Record<string, string>,
              text,
              json: parse(text),
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  };

  /** The typed procedures, as a tRPC client would call them, for a caller who holds exactly these roles; null: for nobody. */
  const as = async (wanted: As) => {
    const caller = wanted === null ? null : (await callerWith(wanted)).caller;
    return appRouter.createCaller({
      db: database.db,
      platform,
      request: {
        id: randomUUID(),
        address: '192.0.2.1',
        face: 'trpc',
        secure: false,
        ifMatch: null,
        basic: () => null,
        authenticate: async () => caller,
        gone: () => new AbortController().signal,
        again: async () => caller ?? never(),
      },
      answer: { headers: {} },
    });
  };

  const end = async () => {
    if (!open.delete(end)) return;
    server.closeAllConnections();
    server.close();
    platform.events.close();
    await settle();
    await engine?.stop();
    await platform.packages.close();
    await platform.secrets.close();
    await deafen();
  };
  open.add(end);
  afterAll(end);

  return {
    ...database,
    platform,
    /** Its HTTP server. */ server,
    vault,
    key,
    send,
    as,
    callerWith,
    logged,
    undeclared,
    url: `http://127.0.0.1:${port}`,
    port,
  };
}

/** How a request of `requestsBelow` is sent: by `admin`, unless said otherwise. */
export type RequestOptions = { as?: Role | readonly Role[]; ifMatch?: string };

/** Requests to a service at paths below a prefix, such as `/configuration_manager`. */
export function requestsBelow(
  { send: sendTo }: Pick<Awaited<ReturnType<typeof openService>>, 'send'>,
  prefix: string,
) {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    { as = 'admin', ifMatch }: RequestOptions = {},
  ): Promise<Answer> =>
    sendTo(as, method, `${prefix}${path}`, body, {
      headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
    });
  /** The same, for requests that must succeed: their body, as the caller of the test expects it. */
  const done = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<Body> => {
    const answer = await send(method, path, body, options);
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };
  return { send, done };
}

async function makeCaller(db: Database, wanted: readonly Role[]) {
  const username = `${wanted.join('-')}-${randomUUID().slice(0, 8)}`;
  const found = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from roles where provenance = 'platform'`,
  );
  const assignedRoles = found
    .filter(({ name }) => wanted.includes(name as Role))
    .map(({ id: roleId }) => ({ roleId }));
  if (assignedRoles.length !== wanted.length) throw new Error(`roles are ${ROLES.join(', ')}`);
  const id = await storeAccount(db, { username, assignedRoles });
  const token = randomBytes(32).toString('base64url');
  const session = sha256(token);
  await db.insert(sessions).values({ tokenHash: session, accountId: id, address: '127.0.0.1' });
  const caller: Caller = {
    id,
    username,
    provenance: 'local',
    roles: wanted,
    groups: [],
    permissions: [],
    session,
  };
  return { caller, token };
}

function never(): never {
  throw new Error('nobody has signed in');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
