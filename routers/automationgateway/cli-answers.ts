import { z } from 'zod';

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
      'failed: the device refused it, or asked something; incomplete: it had not ended; skipped: not sent',
    ),
  output: text('What the device answered, without echo and prompt', 'Cisco IOS Software …'),
  output_bytes: z.int().min(0).describe('Length of the output as UTF-8'),
  truncated: z.boolean().describe('True: the output went on beyond 8 MiB, or all of them beyond 64'),
  elapsed_ms: ms('From sending the command to the last byte of its answer'),
  prompt: text('Prompt after it, or the question that nobody answered', 'edge-1#'),
  failed_when: z
    .string()
    .nullable()
    .meta({
      description: 'Line by which the device refused it, or INTERACTIVE_PROMPT; null when it did not fail',
      examples: ["% Invalid input detected at '^' marker."],
    }),
  parsed: z.array(z.record(z.string(), z.unknown())).optional().describe('Records that the template read'),
  parse_error: z.string().optional().describe('Why the template read nothing'),
});

const Session = z.object({
  reused: z.boolean().describe('True: the session was open already'),
  connect_ms: ms('Time to connect and sign in; 0 when reused'),
  queue_ms: ms('Time waited for a session'),
  device_type: text('Driver that spoke with the device', 'cisco_ios'),
  algorithms: z
    .object({
      profile: z.enum(['modern', 'compatible', 'legacy']).describe('Least profile that has them'),
      kex: text('Key exchange', 'curve25519-sha256'),
      serverHostKey: text('Kind of host key', 'ssh-ed25519'),
      cipher: text('Cipher', 'aes128-gcm@openssh.com'),
      mac: text('MAC; empty where the cipher is one itself', 'hmac-sha2-256'),
    })
    .describe('What was negotiated'),
  host_key: HostKeySeen.describe('The key that the device showed'),
});

/** The results of commands on one host (contract/endpoints#4.14; contract/engines#cli-result). */
export const CommandsSent = z
  .object({
    status: z.enum(['success', 'partial', 'failed']).describe('success: every command; failed: none'),
    code: z.int().describe('0 when every command succeeded, else 1'),
    key: text('Name of the host', 'edge-1'),
    host: text('Name of the host', 'edge-1'),
    device_type: text('Driver that spoke with the device', 'cisco_ios'),
    result: z.array(Result).describe('What became of each command, in their order'),
    session: Session.nullable().describe('How the session was made'),
    timings: z.object({
      started: text('When the call began', '2026-02-03T04:05:06.000Z'),
      queue_ms: ms('Time waited for a session'),
      connect_ms: ms('Time to connect and sign in'),
      total_ms: ms('Time of the whole call'),
    }),
  })
  .meta({ id: 'CommandsSent', description: 'What commands on a device gave.' });

/** The result of a connection test of a host (contract/lifecycle#12). */
export const Tested = z.object({
  ok: z.boolean().describe('True: its prompt was found'),
  latencyMs: z.number().min(0).describe('Milliseconds that it took'),
  prompt: z
    .string()
    .optional()
    .meta({ description: 'Its prompt', examples: ['edge-1#'] }),
  detail: text('What it is, or what was wrong', 'It answers as cisco_ios'),
  reason: z
    .string()
    .optional()
    .meta({ description: 'Finer code of what was wrong', examples: ['DEVICE_AUTH_FAILED'] }),
  hostKey: HostKeySeen.optional().describe('The key that it showed'),
});
