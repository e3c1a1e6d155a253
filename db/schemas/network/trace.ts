import { z } from 'zod';

const MessageSchema = z.looseObject({
  destination_name: z.string().describe('Name of the destination; in the message about the whole trace'),
  destination_address: z
    .string()
    .describe('Address of the destination; in the message about the whole trace'),
  hops: z.number().describe('Largest distance that is tried'),
  packet_size: z.number().describe('Bytes of a probe'),
  hop: z.number().describe('Distance of a probe; 0 in the message about the whole trace'),
  address: z.string().describe('Who answered the probe'),
  name: z.string().describe('Its name'),
  rtt: z.string().describe('Nanoseconds until it answered'),
  state: z.string().describe('How it answered'),
  icmp_code: z.number().describe('Code of ICMP, where the state is ICMP'),
  mpls: z.record(z.string(), z.string()).describe('Labels of MPLS'),
  as_path: z.array(z.number()).describe('Autonomous systems'),
});

const milliseconds = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}; null when no probe was answered`, examples: [1.4] });

const ProbeSchema = z.looseObject({
  address: z
    .string()
    .meta({ description: 'Who answered; empty when nobody did', examples: ['198.51.100.1'] }),
  name: z.string().describe('Its name, where the host asked for it'),
  rtt_ms: z
    .number()
    .nullable()
    .meta({ description: 'Milliseconds until it answered; null when nobody did', examples: [1.4] }),
  rtt_ns: z.number().nullable().describe('The same in nanoseconds'),
  state: z.string().meta({
    description: 'DEFAULT: an ordinary answer; NONE: no answer; others say what was answered instead',
    examples: ['DEFAULT', 'HOST_UNREACHABLE'],
  }),
  icmp_code: z.number().describe('Code of ICMP, where the state is ICMP'),
  mpls: z.record(z.string(), z.string()).describe('Labels of MPLS on the way'),
  as_path: z.array(z.number()).describe('Autonomous systems on the way'),
});

const HopSchema = z.looseObject({
  hop: z.number().meta({ description: 'Distance from the host', examples: [1] }),
  probes: z.array(ProbeSchema).describe('What became of each probe, in order'),
  loss: z.number().meta({ description: 'Share of the probes that nobody answered, 0 to 1', examples: [0] }),
  rtt: z
    .looseObject({ min: milliseconds('Shortest'), avg: milliseconds('Mean'), max: milliseconds('Longest') })
    .describe('Milliseconds of the probes that were answered'),
});

/** The result of a trace run by a host, grouped by hop (contract/endpoints#4.10, contract/engines#gnoi-result). */
export const TraceAnswer = z
  .looseObject({
    status: z
      .enum(['success', 'partial'])
      .describe('success: the host was done; partial: it told more than is kept'),
    code: z.int().meta({ description: 'Status of gRPC; 0 for success', examples: [0] }),
    key: z.string().meta({ description: 'The host that traced', examples: ['leaf-1'] }),
    result: z
      .looseObject({
        destination: z
          .looseObject({ name: z.string().describe('Its name'), address: z.string().describe('Its address') })
          .describe('Where the trace went to'),
        max_hops: z.number().meta({ description: 'Largest distance that was tried', examples: [30] }),
        packet_size: z.number().describe('Bytes of a probe; 0 when the host does not tell'),
        reached: z.boolean().describe('Whether the destination itself answered'),
        hops: z.array(HopSchema).describe('What each distance found, nearest first'),
        truncated: z.boolean().describe('True when the host told more than is kept'),
      })
      .describe('The trace, grouped by hop'),
    responses: z.array(MessageSchema).describe('What the host sent, message by message'),
  })
  .meta({ id: 'TraceAnswer', description: 'A trace that a host ran.' });
