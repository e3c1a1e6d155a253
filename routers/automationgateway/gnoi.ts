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
  destination: z.string().meta({ description: 'Address to trace the route to', examples: ['198.51.100.9'] }),
  host: z
    .string()
    .meta({ description: 'Name of the host that traces, in the gRPC inventory', examples: ['leaf-1'] }),
  do_not_fragment: optional(z.boolean()).describe('True: probes must not be fragmented'),
  do_not_resolve: optional(z.boolean()).describe('True: the names of hops are not resolved'),
  initial_ttl: optional(whole()).meta({ description: 'First hop distance; absent: 1', examples: [1] }),
  max_ttl: optional(whole()).meta({
    description: 'Maximum hop distance; absent: 30; -1: no limit',
    examples: [30],
  }),
  l3protocol: optional(z.string()).meta({
    description: 'IPV4 or IPV6, or the string 1 or 2; absent: the version of the destination',
    examples: ['IPV4'],
  }),
  source: optional(z.string()).meta({ description: 'Address to send from', examples: ['198.51.100.2'] }),
  wait: optional(whole()).meta({
    description: 'Time to wait for each probe, in nanoseconds; absent: the default of the host',
    examples: [1_000_000_000],
  }),
});

export const gnoi = {
  executeTraceroute: allow(...ADMIN)
    .meta(
      rest(
        'POST',
        '/automationgateway/gnoi/traceroute/execute',
        'Trace the route from a host to an address',
        {
          description:
            'Over gRPC, with gNOI. It may take as long as the timeouts of all hops, unless the host has a timeoutMs; the results until then are in `partial` of the error. The trace ends when the caller disconnects.',
          errorResponses: {
            422: 'The host understood the request, but cannot carry it out.',
            429: 'Too many calls are waiting for the host.',
          },
        },
      ),
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
    .meta(rest('POST', '/automationgateway/inventory/grpc/:name/test', 'Test the connection to a gRPC host'))
    .input(z.strictObject({ name: z.string().describe('Name of the host') }))
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input }) => testGrpcHost(ctx, input.name),
        (tx, { name }) => tellGrpcHost(tx, name, 'test'),
      ),
    ),
};
