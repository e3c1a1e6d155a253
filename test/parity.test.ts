import qs from 'qs';
import { afterAll, expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { openOrchestrator, orchestratorAdapter } from './helpers/devices/orchestrator.ts';
import { inputOf } from './helpers/http/generated-input.ts';
import { isLong } from './helpers/long.ts';
import { openService } from './helpers/service.ts';
import { SCRIPTS } from './lab/devices/scripts.ts';
import { openDevice } from './lab/devices/simulator.ts';
import { openGnoiTarget } from './lab/gnoi/target.ts';
import { ACCESS } from './parity/access.ts';
import { ADAPTER_CATALOGUES } from './parity/adapter-catalogues.ts';
import { adapterSteps } from './parity/adapters.ts';
import { COMPLIANCE } from './parity/compliance.ts';
import { FLEET } from './parity/fleet.ts';
import { gatewaySteps } from './parity/gateway.ts';
import { GIT } from './parity/git.ts';
import { INTEGRATION_MODELS } from './parity/integration-models.ts';
import { INVENTORY } from './parity/inventory.ts';
import { NOTIFICATIONS } from './parity/notifications.ts';
import { OPERATIONS } from './parity/operations.ts';
import { PLATFORM } from './parity/platform.ts';
import { SIGN_IN } from './parity/sign-in.ts';
import { NOBODY, type Seen, type Step, step } from './parity/step.ts';
import { STUDIO } from './parity/studio.ts';
import { TREES } from './parity/trees.ts';

/** Two services that go through the same: one by REST, the other by tRPC. */
const byRest = await openService();
const byTrpc = await openService();
/** An orchestrator that both of them talk to. */
const peer = await openOrchestrator();
const orchestrator = orchestratorAdapter('orch', peer.port);
/** A gNOI target, likewise. */
const target = await openGnoiTarget();
afterAll(() => target.close());
/** A device that both of them talk to. */
const vtysh = await openDevice(SCRIPTS.find(({ device_type }) => device_type === 'frr') ?? never());
afterAll(() => vtysh.close());

function never(): never {
  throw new Error('there is no such device');
}

type Fields = Record<string, unknown>;
type Reply = { status: number; body: unknown };

/** What the short form compares: golden configurations, the studio, the inventory and its sources. */
const SHORT: Step[] = [...TREES, ...STUDIO, ...INVENTORY];

/** A life of the service in which every operation is called, and most rejections come up. */
const STEPS: Step[] = [
  ...ACCESS,
  ...TREES,
  ...gatewaySteps({ port: target.port, username: target.username, password: target.password }, vtysh),
  ...COMPLIANCE,
  ...FLEET,
  ...OPERATIONS,
  ...PLATFORM,
  ...SIGN_IN,
  ...STUDIO,
  ...INVENTORY,
  ...INTEGRATION_MODELS,
  ...ADAPTER_CATALOGUES,
  ...NOTIFICATIONS,
  ...GIT,
  ...adapterSteps(orchestrator),
];

/** Their answer is figures in another form, ends the caller's session, or holds a new secret: they are tested by themselves. */
const EXCLUDED = new Set(['events.stream', 'health.getMetrics', 'session.signOut', 'session.createToken']);

const byName = new Map(operations.map((operation) => [operation.name, operation]));

/** Operations that no step above calls: each is called without input, and about documents that do not exist. */
function generatedSteps(called: ReadonlySet<string>): Step[] {
  const text = (member: string) => (/id$/i.test(member) ? NOBODY : 'nothing');
  return operations
    .filter(({ name }) => !called.has(name) && !EXCLUDED.has(name))
    .flatMap(({ name, input }) => [step(name), step(name, inputOf(input, { wide: false, text }))]);
}

const LIFE = [...STEPS, ...generatedSteps(new Set(STEPS.map(({ operation }) => operation)))];

async function viaRest(name: string, input: Fields): Promise<Reply> {
  const operation = byName.get(name);
  if (!operation) throw new Error(`no operation ${name}`);
  const rest = { ...input };
  let path = operation.path;
  for (const parameter of operation.parameters) {
    path = path.replace(`:${parameter}`, encodeURIComponent(String(rest[parameter])));
    delete rest[parameter];
  }
  const { container, queried, method } = operation;
  const members = container
    ? { ...rest, ...((rest[container] ?? {}) as Fields), [container]: undefined }
    : rest;
  const query = queried ? qs.stringify(members, { arrayFormat: 'repeat', encodeValuesOnly: true }) : '';
  const form = !operation.types.includes('application/json');
  const answer = await byRest.send(
    'admin',
    method,
    query ? `${path}?${query}` : path,
    queried ? undefined : rest,
    form ? { raw: qs.stringify(rest), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } } : {},
  );
  // A typed caller knows one success only, and gets null where REST sends no body.
  const status = answer.status < 300 ? 200 : answer.status;
  return { status, body: answer.status === 204 ? null : (answer.json ?? answer.text) };
}

async function viaTrpc(name: string, input: Fields): Promise<Reply> {
  const answer = await byTrpc.send('admin', 'POST', `/trpc/${name}`, input);
  const { result, error } = answer.json as {
    result?: { data: unknown };
    error?: { message: string; data: Fields };
  };
  if (result) return { status: 200, body: result.data };
  const { httpStatus, path: _, ...reported } = error?.data ?? {};
  return {
    status: Number(httpStatus),
    body: namedAsInRest(name, { ...reported, message: error?.message }),
  };
}

/** An error with properties named as in REST, where those of the option object are at the top of the query. */
function namedAsInRest(name: string, body: Fields): Fields {
  const operation = byName.get(name);
  const { issues, message } = body as { issues?: { path: unknown[] }[]; message?: string };
  if (!operation?.queried || !operation.container || !issues) return body;
  const { container } = operation;
  return {
    ...body,
    issues: issues.map(({ path: [first, ...path], ...issue }) => ({
      ...issue,
      path: first === container && path.length > 0 ? path : [first, ...path],
    })),
    message: message?.replaceAll(`${container}.`, ''),
  };
}

/** An answer without what no two services share: ids in the order in which they come up, moments, secrets. */
function comparer() {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
    return ids.get(id) ?? id;
  };
  return (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(/"requestId":"[^"]+"/g, '"requestId":"<request>"')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
        .replaceAll(/\b[0-9a-f]{24}\b/g, numbered)
        .replaceAll(/admin-[0-9a-f]{8}/g, 'admin-<n>')
        .replaceAll(/"(created|lastUpdated)":\d+/g, '"$1":"<time>"')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '<time>'),
    );
}

/** The names and types of what is measured. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

test('operations answer alike through tRPC and through REST, rejections included', async () => {
  const sides = [
    { call: viaRest, seen: {} as Seen, plain: comparer() },
    { call: viaTrpc, seen: {} as Seen, plain: comparer() },
  ];
  for (const [index, { operation, input, keep, measured }] of (isLong ? LIFE : SHORT).entries()) {
    const reported: { status: number; body: unknown }[] = [];
    for (const side of sides) {
      const { status, body } = await side.call(operation, input(side.seen));
      if (keep && status === 200) Object.assign(side.seen, keep(body as never));
      reported.push({ status, body: measured ? shapeOf(body) : side.plain(body) });
    }
    expect(reported[1], `step ${index}: ${operation}`).toEqual(reported[0]);
    expect(reported[0]?.status, `step ${index}: ${operation} ${reported[0]?.body}`).toBeLessThan(
      500 + (operation === 'profiles.getProfile' ? 4 : 0),
    );
  }
});

test('the comparison covers every operation', () => {
  const compared = new Set(LIFE.map(({ operation }) => operation));
  const left = operations
    .map(({ name }) => name)
    .filter((name) => !compared.has(name) && !EXCLUDED.has(name));
  expect(left).toEqual([]);
});

test('an operation without steps of its own is compared with generated inputs', () => {
  const called = new Set(operations.map(({ name }) => name).filter((name) => name !== 'tags.getTag'));
  const generated = generatedSteps(called).map(({ operation, input }) => [operation, input({})]);
  expect(generated).toEqual([
    ['tags.getTag', {}],
    ['tags.getTag', { id: NOBODY }],
  ]);
});
