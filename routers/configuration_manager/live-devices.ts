import { z } from 'zod';
import { Done, ObjectId, Timestamp } from '#db/schemas/primitives.ts';
import {
  backUpDevice,
  isAlive,
  notePushed,
  publishTaken,
  pushConfiguration,
  readConfiguration,
} from '#server/domains/golden-config/index.ts';
import { invalid } from '#server/kernel/errors.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { optional } from './requests.ts';

const PATH = '/configuration_manager/devices';
const name = z
  .string()
  .max(255)
  .meta({ description: 'Name of the device', examples: ['edge-1'] });

const UNSUPPORTED =
  'The origin of the device does not support it, or no command is known for its device_type.';
export const errorResponses = {
  409: 'The adapter of the device is stopped.',
  422: UNSUPPORTED,
  429: 'Too many calls are waiting for the device.',
  502: 'The device cannot be reached, rejects the call, or has an empty configuration; `reason` has the cause.',
  504: 'The device does not respond in time.',
} as const;

const Config = z.object({
  device: name,
  config: z.string().meta({
    description: 'Its configuration; secrets in it are not masked',
    examples: ['hostname edge-1\n'],
  }),
});

export const Line = z.object({
  line: z.string().meta({ description: 'The line', examples: ['ntp server 192.0.2.9'] }),
  status: z
    .enum(['SUCCESS', 'FAILED', 'INCOMPLETE', 'NOT_SENT'])
    .describe(
      'FAILED: the device rejected it; INCOMPLETE: it did not finish; NOT_SENT: the push ended before it',
    ),
  message: z.string().optional().describe('Response of the device'),
});

export const liveDevices = {
  getDeviceConfiguration: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/:name/configuration`, 'The current configuration of a device', {
        description: 'Read from the device through its origin; nothing is stored.',
        errorResponses,
      }),
    )
    .input(z.strictObject({ name }))
    .output(answer(Config))
    .query(({ ctx, input }) => readConfiguration(ctx, input.name)),

  getDeviceConfigurationInFormat: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        `${PATH}/:name/configuration/:format`,
        'The current configuration of a device in a format',
        {
          description: 'Only the native format, `native`.',
          errorResponses,
        },
      ),
    )
    .input(
      z.strictObject({
        name,
        format: z.enum(['native']).describe('native: the syntax of the device, or of its orchestrator'),
      }),
    )
    .output(answer(Config))
    .query(({ ctx, input }) => readConfiguration(ctx, input.name)),

  pushDeviceConfiguration: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:deviceName/configuration`, 'Push lines to a device', {
        description:
          'Line by line, until one is rejected: then `data` of the error has the result of each line. On a device with a candidate configuration, either all lines are committed or none; on others the accepted lines remain. The start-up configuration is not changed.',
        errorResponses: {
          ...errorResponses,
          409: 'Another change on the device is running, or the adapter is stopped.',
        },
      }),
    )
    .input(
      z.strictObject({
        deviceName: name,
        config: z.strictObject({
          device: name,
          config: z.string().meta({
            description: 'Lines, as they are entered in configuration mode',
            examples: ['interface Gi0/1\n no shutdown'],
          }),
        }),
        options: optional(
          z.strictObject({
            dryRun: optional(z.boolean()).describe(
              'True: the lines are tested when the device supports that, otherwise only returned',
            ),
            backup: optional(z.boolean()).describe('False: no backup is taken first'),
          }),
        ).describe('How to push'),
      }),
    )
    .output(
      answer(
        Done.extend({
          result: z.array(Line).describe('Result of each line'),
          backupId: ObjectId.optional().describe('Backup taken before the change'),
        }),
      ),
    )
    .mutation(
      outward(
        async ({ ctx, input: { deviceName, config, options } }) => {
          if (config.device !== deviceName)
            throw invalid(['config', 'device'], `must be ${deviceName}, the device of the path`);
          return pushConfiguration(ctx, deviceName, config.config, options ?? {});
        },
        (tx, { deviceName }, pushed) => notePushed(tx, deviceName, pushed),
      ),
    ),

  isDeviceAlive: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/:name/isAlive`, 'Test whether a device responds', {
        description:
          'A new session is opened. A device that does not respond is no error: `reason` has the cause.',
        errorResponses: { 409: errorResponses[409] },
      }),
    )
    .input(z.strictObject({ name }))
    .output(
      answer(
        z.object({
          device: name,
          isAlive: z.boolean().describe('True: the sign-in succeeded'),
          checkedAt: Timestamp.describe('Time of the test'),
          reason: z
            .string()
            .meta({ description: 'More specific code of the error; empty: none', examples: ['REFUSED'] }),
          detail: z.string().describe('The same in words'),
          sync: z
            .string()
            .optional()
            .meta({
              description: 'Sync state of the device, as the orchestrator reports it',
              examples: ['in-sync'],
            }),
        }),
      ),
    )
    .query(({ ctx, input }) => isAlive(ctx, input.name)),

  backUpDevice: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/backups`, 'Back up a device', { errorResponses }))
    .input(
      z.strictObject({
        name,
        options: optional(
          z.strictObject({
            description: optional(z.string().max(1000)).describe('Reason for the backup'),
            notes: optional(z.string().max(20_000)).describe('Free remarks'),
          }),
        ).describe('Description and notes of the backup'),
      }),
    )
    .output(
      answer(
        Done.extend({
          id: ObjectId.describe('Id of the backup'),
          unchanged: z
            .boolean()
            .describe('True: the newest backup has the same configuration, so no new one was stored'),
        }),
      ),
    )
    .mutation(
      outward(
        async ({ ctx, input }) => {
          const { id, unchanged } = await backUpDevice(ctx, input.name, input.options ?? {});
          const message = `Device ${input.name} backed up successfully`;
          return { status: 'success' as const, message, id, unchanged };
        },
        (tx, input, { id }) => publishTaken(tx, id, input.name),
      ),
    ),
};
