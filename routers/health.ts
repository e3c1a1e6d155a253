import { z } from 'zod';
import { answer, plainText } from '#server/answer.ts';
import { RELEASE } from '#server/config.ts';
import { readStatus } from '#server/engines/platform/health.service.ts';
import { R } from '#server/roles.ts';
import { allow, open, rest, router, signedIn } from '#server/trpc.ts';

const Nothing = z.strictObject({});

const Status = z.object({
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
    .output(answer(z.string()))
    .query(() => plainText(RELEASE)),

  getMetrics: allow(...R)
    .meta(
      rest('GET', '/prometheus_metrics', 'What is measured of this process, for Prometheus', {
        produces: 'text/plain',
      }),
    )
    .input(Nothing)
    .output(answer(z.string()))
    .query(async ({ ctx }) =>
      plainText(await ctx.platform.metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
    ),
});
