import { z } from 'zod';
import { textOrNull } from '../fields.ts';
import { ObjectId, Timestamp } from '../primitives.ts';

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
    requestId: textOrNull('Id of the request, as in its X-Request-Id and in the log'),
  })
  .meta({ id: 'GatewayCall', description: 'One call of the gateway to a device.' });
export type GatewayCall = z.infer<typeof GatewayCall>;
