import { z } from 'zod';
import { TraceAnswer } from '#db/schemas/network/trace.ts';
import { tellGrpcHost, testGrpcHost, traceroute } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { optional } from '../configuration_manager/requests.ts';
import { Tried } from './answers.ts';

const whole = () => z.int();

const Trace = z.strictObject({
  destination: z.string().meta({ description: 'Address to trace the way to', examples: ['198.51.100.9'] }),
  host: z
    .string()
    .meta({ description: 'Name of the host that traces, in the gRPC inventory', examples: ['leaf-1'] }),
  do_not_fragment: optional(z.boolean()).describe('True: probes must not be fragmented'),
  do_not_resolve: optional(z.boolean()).describe('True: hops are not asked for their names'),
  initial_ttl: optional(whole()).meta({ description: 'Distance to begin at; absent: 1', examples: [1] }),
  max_ttl: optional(whole()).meta({
    description: 'Distance to end at; absent: 30; -1: none',
    examples: [30],
  }),
  l3protocol: optional(z.string()).meta({
    description: 'IPV4 or IPV6, or the text 1 or 2; absent: that of the destination',
    examples: ['IPV4'],
  }),
  source: optional(z.string()).meta({ description: 'Address to send from', examples: ['198.51.100.2'] }),
  wait: optional(whole()).meta({
    description: 'Nanoseconds to wait for each probe; absent: as the host likes',
    examples: [1_000_000_000],
  }),
});

export const gnoi = {
  executeTraceroute: allow(...ADMIN)
    .meta(
      rest('POST', '/automationgateway/gnoi/traceroute/execute', 'Have a host trace the way to an address', {
        description:
          'Over gRPC, by gNOI. It may take as long as the silence of every hop, unless the host has a timeoutMs; what came until then is in `partial` of the error. A caller who goes away ends the trace.',
        refusals: {
          422: 'The host understands, and cannot do it.',
          429: 'Too many calls wait for the host.',
        },
      }),
    )
    .input(Trace)
    .output(answer(TraceAnswer))
    .mutation(
      outward(
        ({ ctx, input }) => traceroute(ctx, input),
        (tx, { host, destination }) => tellGrpcHost(tx, host, `traceroute ${destination}`),
      ),
    ),

  testGrpcHost: allow(...ADMIN)
    .meta(
      rest(
        'POST',
        '/automationgateway/inventory/grpc/:name/test',
        'Try whether a gRPC host answers and lets us in',
      ),
    )
    .input(z.strictObject({ name: z.string().describe('Name of the host') }))
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input }) => testGrpcHost(ctx, input.name),
        (tx, { name }) => tellGrpcHost(tx, name, 'test'),
      ),
    ),
};
