import { z } from 'zod';
import { NegotiatedAlgorithms } from '#db/schemas/network/gateway-call.ts';

const text = (description: string, ...examples: string[]) => z.string().meta({ description, examples });
const ms = (description: string) => z.number().min(0).describe(`${description}, in milliseconds`);

const HostKeySeen = z.object({
  algorithm: text('Kind of the key', 'ssh-ed25519'),
  fingerprint: text('Its SHA-256', 'SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDvCK5wNGCwm0ZFaOs'),
});

const Result = z.object({
  command: text('The command as it was sent', 'show version'),
  status: z
    .enum(['success', 'failed', 'incomplete', 'skipped'])
    .describe(
      'failed: the device rejected it, or prompted for input; incomplete: it did not finish; skipped: not sent',
    ),
  output: text('Response of the device, without echo and prompt', 'Cisco IOS Software …'),
  output_bytes: z.int().min(0).describe('Length of the output as UTF-8'),
  truncated: z.boolean().describe('True: the output exceeded 8 MiB, or all outputs together 64 MiB'),
  elapsed_ms: ms('Time from sending the command to the last byte of the response'),
  prompt: text('Prompt after the command, or the unanswered prompt for input', 'edge-1#'),
  failed_when: z
    .string()
    .nullable()
    .meta({
      description: 'Line with which the device rejected it, or INTERACTIVE_PROMPT; null when it did not fail',
      examples: ["% Invalid input detected at '^' marker."],
    }),
  parsed: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe('Records that the template extracted'),
  parse_error: z.string().optional().describe('Why the template extracted nothing'),
});

const Session = z.object({
  reused: z.boolean().describe('True: an open session was reused'),
  connect_ms: ms('Time to connect and sign in; 0 when reused'),
  queue_ms: ms('Time spent waiting for a session'),
  device_type: text('Driver used for the device', 'cisco_ios'),
  algorithms: NegotiatedAlgorithms,
  host_key: HostKeySeen.describe('Host key of the device'),
});

/** The results of commands on one host (contract/endpoints#4.14; contract/engines#cli-result). */
export const CommandsSent = z
  .object({
    status: z.enum(['success', 'partial', 'failed']).describe('success: every command; failed: none'),
    code: z.int().describe('0 when every command succeeded, else 1'),
    key: text('Name of the host', 'edge-1'),
    host: text('Name of the host', 'edge-1'),
    device_type: text('Driver used for the device', 'cisco_ios'),
    result: z.array(Result).describe('Result of each command, in order'),
    session: Session.nullable().describe('The session'),
    timings: z.object({
      started: text('Start of the call', '2026-02-03T04:05:06.000Z'),
      queue_ms: ms('Time spent waiting for a session'),
      connect_ms: ms('Time to connect and sign in'),
      total_ms: ms('Duration of the whole call'),
    }),
  })
  .meta({ id: 'CommandsSent', description: 'The results of commands on a device.' });

/** The result of a connection test of a host (contract/lifecycle#12). */
export const Tested = z.object({
  ok: z.boolean().describe('True: its prompt was found'),
  latencyMs: z.number().min(0).describe('Duration in milliseconds'),
  prompt: z
    .string()
    .optional()
    .meta({ description: 'Its prompt', examples: ['edge-1#'] }),
  detail: text('Description of the host, or the error', 'It answers as cisco_ios'),
  reason: z
    .string()
    .optional()
    .meta({ description: 'More specific code of the error', examples: ['DEVICE_AUTH_FAILED'] }),
  hostKey: HostKeySeen.optional().describe('Host key'),
});
