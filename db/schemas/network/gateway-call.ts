import { z } from 'zod';
import { flag, number, text, textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

/** What a session with a device agreed on. */
export const NegotiatedAlgorithms = z
  .looseObject({
    profile: z.enum(['modern', 'compatible', 'legacy']).describe('Most secure profile that has them'),
    kex: z.string().meta({ description: 'Key exchange', examples: ['curve25519-sha256'] }),
    serverHostKey: z.string().meta({ description: 'Kind of host key', examples: ['ssh-ed25519'] }),
    cipher: z
      .string()
      .meta({ description: 'How the session is encrypted', examples: ['aes128-gcm@openssh.com'] }),
    mac: z.string().meta({
      description: 'MAC; empty when the cipher includes authentication',
      examples: ['hmac-sha2-256'],
    }),
  })
  .describe('The negotiated algorithms');

/**
 * One call of the gateway to a device: the caller, the request and its outcome, without outputs (contract/lifecycle#12).
 */
export const GatewayCall = z
  .looseObject({
    _id: ObjectId.describe('Id of the entry'),
    kind: z
      .enum(['cli', 'traceroute', 'http'])
      .describe('cli: commands over SSH; traceroute: a trace over gNOI; http: a request of a workflow task'),
    host: z
      .string()
      .meta({ description: 'Name of the host, or its address when it has no name', examples: ['leaf-1'] }),
    user: z.string().meta({ description: 'Account that called', examples: ['bar'] }),
    started: Timestamp.describe('Start of the call'),
    durationMs: z.number().meta({ description: 'Duration in milliseconds', examples: [84] }),
    status: z
      .enum(['success', 'partial', 'failed', 'canceled'])
      .describe(
        'partial: some commands failed, or the call was truncated; canceled: the caller disconnected',
      ),
    reason: textOrNull('More specific code of the error; null when none occurred', 'COMMAND_TIMEOUT'),
    commands: z
      .array(z.string())
      .optional()
      .meta({
        description: 'Commands of a cli call, or method and path of an http call, with likely secrets masked',
        examples: [['show version']],
      }),
    destination: z
      .string()
      .optional()
      .meta({ description: 'Destination of a traceroute', examples: ['198.51.100.9'] }),
    device_type: text('Driver used for the device', 'cisco_ios'),
    reused: flag('True: an open session was reused'),
    hostKey: text('Fingerprint of the host key of the device', 'SHA256:…'),
    algorithms: NegotiatedAlgorithms.optional(),
    bytes: number('Length of the outputs in bytes', 334),
    requestId: textOrNull('Id of the request, as in its X-Request-Id and in the log'),
  })
  .meta({ id: 'GatewayCall', description: 'One call of the gateway to a device.' });
export type GatewayCall = z.infer<typeof GatewayCall>;
