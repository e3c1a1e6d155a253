import { z } from 'zod';
import { PartHealth } from '#db/schemas/operations/part-health.ts';
import { ServerHealth } from '#db/schemas/operations/server-health.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  describeService,
  getAdapterHealth,
  getApplicationHealth,
  listAdapterHealth,
  listApplicationHealth,
  listConnections,
  readLiveness,
  readReadiness,
  readServer,
  readStatus,
  readSystem,
} from '#server/domains/health/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { allow, open, rest, router, signedIn } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';

const Nothing = z.strictObject({});

const Status = z
  .object({
    host: z.string().describe('Name of the machine'),
    serverId: z.string().describe('Id of this process, new at each start'),
    serverName: z.string().describe('Name of this installation'),
    services: z
      .array(z.object({ service: z.string(), status: z.enum(['running', 'degraded', 'stopped']) }))
      .optional()
      .describe(
        'The database; each part of this process that does not respond or is being replaced, the certificate that it serves from two weeks before its end, and notifications, git and sign-in while a channel, remote or provider fails: they are degraded',
      ),
    timestamp: z.number().describe('Current time, in epoch milliseconds'),
    apps: z.enum(['running', 'degraded', 'stopped']).describe('All applications together'),
    adapters: z.enum(['running', 'degraded', 'stopped']).describe('All adapters together'),
  })
  .meta({
    description: 'Whether the service and its parts are alive.',
    examples: [
      {
        host: 'sy-1',
        serverId: '5d7c1f0e-8f5b-4c53-9a0e-6f2f3c1d2b4a',
        serverName: 'lab',
        services: [{ service: 'database', status: 'running' }],
        timestamp: 1795000000000,
        apps: 'running',
        adapters: 'running',
      },
    ],
  });

const check = (of: string) => z.enum(['ok', 'degraded', 'unavailable']).describe(of);
const Probe = z
  .object({
    status: check('The worst result of the checks; a stopping process is unavailable for ready'),
    checks: z.object({
      database: check('Whether the database responds'),
      migrations: check('Whether the database has the newest tables of this release'),
      workers: check('Whether the worker threads respond: degraded while one is being replaced'),
    }),
  })
  .meta({
    description: 'Whether the service can work.',
    examples: [{ status: 'ok', checks: { database: 'ok', migrations: 'ok', workers: 'ok' } }],
  });

const Release = z
  .string()
  .meta({ description: 'Calendar version: year, number, patch', examples: [RELEASE] });

const Metrics = z.string().meta({
  description: 'Metrics in the text format of Prometheus',
  examples: ['http_requests_total{method="GET",route="/version",status="200"} 7'],
});

const bytes = (of: string) => z.int().describe(`${of}, in bytes`);
const spent = (on: string) => z.int().describe(`Time spent ${on}, in milliseconds`);

const System = z.object({
  arch: z.string().describe('Processor architecture'),
  release: z.string().describe('Release of the operating system'),
  uptime: z.number().describe('Seconds since the machine started'),
  freemem: bytes('Free memory'),
  totalmem: bytes('Memory altogether'),
  loadavg: z.array(z.number()).describe('Load averages of 1, 5 and 15 minutes'),
  cpus: z.array(
    z.object({
      model: z.string().describe('Name of the processor'),
      speed: z.int().describe('Clock, in MHz; 0 when unknown'),
      times: z.object({
        user: spent('in programs'),
        nice: spent('in programs of low priority'),
        sys: spent('in the operating system'),
        idle: spent('idle'),
        irq: spent('on interrupts'),
      }),
    }),
  ),
});

const ListParts = z.strictObject({ queryOptions: listQuery({}).optional() });
const Parts = z.object({ results: z.array(PartHealth), total: z.int() });
const OnePart = z.strictObject({ name: z.string().describe('Name of the application or adapter') });

const Connections = z.object({
  results: z.array(
    z.object({
      kind: z
        .enum([
          'notification channel',
          'git remote',
          'sign-in provider',
          'inventory source',
          'secret provider',
        ])
        .describe('What it is'),
      id: z.string().describe('Its id'),
      name: z.string().describe('Its name'),
      state: z.literal('FAILING').describe('The latest attempt failed'),
      since: z
        .string()
        .describe(
          'Time of the first failure in a row, of an inventory source that of the latest one; ISO 8601',
        ),
      lastError: z.string().nullable().describe('Why the latest attempt failed'),
    }),
  ),
  total: z.int().describe('Number of entries'),
});

const Address = z
  .string()
  .max(2048, { abort: true })
  .regex(/^(https?:\/\/|\/)\S*$/, 'must be a URL: http://…, https://… or a path');

export const health = router({
  getStatus: open
    .meta(
      rest('GET', '/health/status', 'Whether the service is alive; needs no credential', { always: true }),
    )
    .input(
      z.strictObject({ 'exclude-services': z.boolean().optional().describe('True: omits the services') }),
    )
    .output(answer(Status))
    .query(({ ctx, input }) => readStatus(ctx.db, ctx.platform, input['exclude-services'] ?? false)),

  getLiveness: open
    .meta(
      rest('GET', '/health/live', 'Liveness of the process; needs no credential', {
        always: true,
        description:
          'For liveness probes: an unreachable database makes it degraded, because a restart does not help.',
      }),
    )
    .input(Nothing)
    .output(answer(Probe))
    .query(({ ctx }) => readLiveness(ctx.db)),

  getReadiness: open
    .meta(
      rest('GET', '/health/ready', 'Readiness of the process; needs no credential', {
        always: true,
        errorResponses: {
          503: 'The database cannot be reached, its migrations have not run, or the process is stopping; the body also has status and checks.',
        },
      }),
    )
    .input(Nothing)
    .output(answer(Probe))
    .query(({ ctx }) => readReadiness(ctx.db, ctx.platform)),

  getSystem: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/system', 'State of the machine'))
    .input(Nothing)
    .output(answer(System))
    .query(() => readSystem()),

  getServer: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/server', 'State of the server process that handles the request'))
    .input(Nothing)
    .output(answer(ServerHealth))
    .query(() => readServer()),

  getApplications: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/applications', 'State of the applications'))
    .input(ListParts)
    .output(answer(Parts))
    .query(({ ctx, input }) => listApplicationHealth(ctx, input.queryOptions ?? {})),

  getApplication: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/applications/:name', 'State of one application'))
    .input(OnePart)
    .output(answer(PartHealth))
    .query(({ ctx, input }) => getApplicationHealth(ctx, input.name)),

  getConnections: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        '/health/connections',
        'Notification channels, Git remotes and sign-in providers that fail',
        {
          description: 'Those whose latest attempt failed, by name. Empty when all is well.',
          always: true,
        },
      ),
    )
    .input(Nothing)
    .output(answer(Connections))
    .query(({ ctx }) => listConnections(ctx.db)),

  getAdapters: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/adapters', 'State of the adapters'))
    .input(ListParts)
    .output(answer(Parts))
    .query(({ ctx, input }) => listAdapterHealth(ctx, input.queryOptions ?? {})),

  getAdapter: allow(...CONFIG_READ)
    .meta(rest('GET', '/health/adapters/:name', 'State of one adapter'))
    .input(OnePart)
    .output(answer(PartHealth))
    .query(({ ctx, input }) => getAdapterHealth(ctx, input.name)),

  getOpenApi: signedIn
    .meta(rest('GET', '/help/openapi', 'The OpenAPI document of every endpoint'))
    .input(z.strictObject({ url: Address.optional().describe('Base URL of the service') }))
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => describeService(ctx.platform, input.url)),

  getVersion: signedIn
    .meta(rest('GET', '/version', 'The release of this service', { produces: 'text/plain' }))
    .input(Nothing)
    .output(answer(Release))
    .query(() => new PlainText(RELEASE)),

  getMetrics: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/prometheus_metrics', 'Metrics of this process for Prometheus', {
        produces: 'text/plain',
        withoutDatabase: true,
      }),
    )
    .input(Nothing)
    .output(answer(Metrics))
    .query(
      async ({ ctx }) =>
        new PlainText(await ctx.platform.metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
    ),
});
