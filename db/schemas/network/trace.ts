import { z } from 'zod';

const MessageSchema = z.looseObject({
  destination_name: z.string().describe('Name of the destination; in the message about the whole trace'),
  destination_address: z
    .string()
    .describe('Address of the destination; in the message about the whole trace'),
  hops: z.number().describe('Maximum hop distance'),
  packet_size: z.number().describe('Size of a probe in bytes'),
  hop: z.number().describe('Hop distance of a probe; 0 in the message about the whole trace'),
  address: z.string().describe('Address that answered the probe'),
  name: z.string().describe('Its name'),
  rtt: z.string().describe('Round-trip time in nanoseconds'),
  state: z.string().describe('State of the probe'),
  icmp_code: z.number().describe('ICMP code, when the state is ICMP'),
  mpls: z.record(z.string(), z.string()).describe('MPLS labels'),
  as_path: z.array(z.number()).describe('Autonomous systems'),
  icmp_ext_data: z
    .array(
      z.looseObject({
        class: z.number().describe('Class of the extension (RFC 4884)'),
        type: z.number().describe('Its type within the class'),
        data: z.array(z.number()).describe('Its words of 32 bits'),
      }),
    )
    .describe('ICMP extensions of the answer'),
});

const milliseconds = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}; null when no probe was answered`, examples: [1.4] });

const ProbeSchema = z.looseObject({
  address: z
    .string()
    .meta({ description: 'Address that answered; empty without an answer', examples: ['198.51.100.1'] }),
  name: z.string().describe('Its name, when the host resolved it'),
  rtt_ms: z
    .number()
    .nullable()
    .meta({ description: 'Round-trip time in milliseconds; null without an answer', examples: [1.4] }),
  rtt_ns: z.number().nullable().describe('The same in nanoseconds'),
  state: z.string().meta({
    description: 'DEFAULT: an ordinary answer; NONE: no answer; others say what was answered instead',
    examples: ['DEFAULT', 'HOST_UNREACHABLE'],
  }),
  icmp_code: z.number().describe('ICMP code, when the state is ICMP'),
  mpls: z.record(z.string(), z.string()).describe('MPLS labels on the path'),
  as_path: z.array(z.number()).describe('Autonomous systems on the path'),
});

const HopSchema = z.looseObject({
  hop: z.number().meta({ description: 'Hop distance from the host', examples: [1] }),
  probes: z.array(ProbeSchema).describe('Result of each probe, in order'),
  loss: z.number().meta({ description: 'Share of unanswered probes, 0 to 1', examples: [0] }),
  rtt: z
    .looseObject({ min: milliseconds('Shortest'), avg: milliseconds('Mean'), max: milliseconds('Longest') })
    .describe('Round-trip times of the answered probes, in milliseconds'),
});

/** The result of a trace run by a host, grouped by hop (contract/endpoints#4.10, contract/engines#gnoi-result). */
export const TraceAnswer = z
  .looseObject({
    status: z
      .enum(['success', 'partial'])
      .describe('success: the trace finished; partial: the host sent more than the limit'),
    code: z.int().meta({ description: 'gRPC status; 0 for success', examples: [0] }),
    key: z.string().meta({ description: 'The host that traced', examples: ['leaf-1'] }),
    result: z
      .looseObject({
        destination: z
          .looseObject({ name: z.string().describe('Its name'), address: z.string().describe('Its address') })
          .describe('Destination of the trace'),
        max_hops: z.number().meta({ description: 'Maximum hop distance', examples: [30] }),
        packet_size: z.number().describe('Size of a probe in bytes; 0 when the host does not report it'),
        reached: z.boolean().describe('Whether the destination itself answered'),
        hops: z.array(HopSchema).describe('Result of each hop, nearest first'),
        truncated: z.boolean().describe('True when the host sent more than the limit'),
      })
      .describe('The trace, grouped by hop'),
    responses: z.array(MessageSchema).describe('What the host sent, message by message'),
  })
  .meta({ id: 'TraceAnswer', description: 'A trace that a host ran.' });
