import { z } from 'zod';
import { answer, plainText } from '#server/answer.ts';
import { RELEASE } from '#server/config.ts';
import { readStatus } from '#server/engines/platform/health.service.ts';
import { R } from '#server/roles.ts';
import { allow, open, rest, router, signedIn } from '#server/trpc.ts';

const Nothing = z.strictObject({});

const Status = z
  .object({
    host: z.string().describe('Name of the machine'),
    serverId: z.string().describe('Id of this process, new at each start'),
    serverName: z.string().describe('Name of this installation'),
    services: z
      .array(z.object({ service: z.string(), status: z.enum(['running', 'stopped']) }))
      .optional()
      .describe('Parts that the service needs'),
    timestamp: z.number().describe('Now, in epoch milliseconds'),
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

const Release = z
  .string()
  .meta({ description: 'Calendar version: year, number, patch', examples: [RELEASE] });

const Metrics = z.string().meta({
  description: 'Metrics in the text format of Prometheus',
  examples: ['http_requests_total{method="GET",route="/version",status="200"} 7'],
});

export const health = router({
  getStatus: open
    .meta(
      rest('GET', '/health/status', 'Whether the service is alive; asks for no credential', { always: true }),
    )
    .input(z.strictObject({ 'exclude-services': z.boolean().optional().describe('Leave the services out') }))
    .output(answer(Status))
    .query(({ ctx, input }) => readStatus(ctx.db, ctx.platform, input['exclude-services'] ?? false)),

  getVersion: signedIn
    .meta(rest('GET', '/version', 'The release of this service', { produces: 'text/plain' }))
    .input(Nothing)
    .output(answer(Release))
    .query(() => plainText(RELEASE)),

  getMetrics: allow(...R)
    .meta(
      rest('GET', '/prometheus_metrics', 'What is measured of this process, for Prometheus', {
        produces: 'text/plain',
      }),
    )
    .input(Nothing)
    .output(answer(Metrics))
    .query(async ({ ctx }) =>
      plainText(await ctx.platform.metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
    ),
});
