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

const NO_WAY = 'The origin of the device has no way to do it, or none is known for its device_type.';
export const refusals = {
  409: 'The adapter that speaks with the device is stopped.',
  422: NO_WAY,
  429: 'Too many calls wait for the device.',
  502: 'The device cannot be reached, refuses, or has an empty configuration; `reason` tells which.',
  504: 'The device does not answer in time.',
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
      'FAILED: the device refused it; INCOMPLETE: it had not ended; NOT_SENT: the push had ended before',
    ),
  message: z.string().optional().describe('What the device said to it'),
});

export const liveDevices = {
  getDeviceConfiguration: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/:name/configuration`, 'The configuration of a device as it is now', {
        description: 'Read from the device by the origin that is asked; nothing is stored.',
        refusals,
      }),
    )
    .input(z.strictObject({ name }))
    .output(answer(Config))
    .query(({ ctx, input }) => readConfiguration(ctx, input.name)),

  getDeviceConfigurationInFormat: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/:name/configuration/:format`, 'The configuration of a device in a format', {
        description: 'Only the device’s own, `native`.',
        refusals,
      }),
    )
    .input(
      z.strictObject({
        name,
        format: z.enum(['native']).describe('native: as the device, or its orchestrator, writes it'),
      }),
    )
    .output(answer(Config))
    .query(({ ctx, input }) => readConfiguration(ctx, input.name)),

  pushDeviceConfiguration: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:deviceName/configuration`, 'Push lines to a device', {
        description:
          'Line by line, until one is refused: then `data` of the error has what became of each. Where the device has a candidate, no line counts unless all do; elsewhere those before stay. Nothing is written to the start-up configuration.',
        refusals: { ...refusals, 409: 'Another change on the device is running, or the adapter is stopped.' },
      }),
    )
    .input(
      z.strictObject({
        deviceName: name,
        config: z.strictObject({
          device: name,
          config: z.string().meta({
            description: 'Lines, as they are typed in the mode that takes them',
            examples: ['interface Gi0/1\n no shutdown'],
          }),
        }),
        options: optional(
          z.strictObject({
            dryRun: optional(z.boolean()).describe(
              'True: lines are tried where the device has a way to, else only told',
            ),
            backup: optional(z.boolean()).describe('False: no backup is taken before'),
          }),
        ).describe('How to push'),
      }),
    )
    .output(
      answer(
        Done.extend({
          result: z.array(Line).describe('What became of each line'),
          backupId: ObjectId.optional().describe('Backup that was taken before'),
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
      rest('GET', `${PATH}/:name/isAlive`, 'Whether a device answers', {
        description: 'A new session is opened. That it does not answer is no error: `reason` tells why.',
        refusals: { 409: refusals[409] },
      }),
    )
    .input(z.strictObject({ name }))
    .output(
      answer(
        z.object({
          device: name,
          isAlive: z.boolean().describe('True: it let us in'),
          checkedAt: Timestamp.describe('When it was asked'),
          reason: z
            .string()
            .meta({ description: 'Finer code of what is wrong; empty: nothing', examples: ['REFUSED'] }),
          detail: z.string().describe('The same in words'),
          sync: z
            .string()
            .optional()
            .meta({
              description: 'Whether its orchestrator keeps what it has, in the orchestrator’s words',
              examples: ['in-sync'],
            }),
        }),
      ),
    )
    .query(({ ctx, input }) => isAlive(ctx, input.name)),

  backUpDevice: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/backups`, 'Read the configuration of a device and store it', { refusals }))
    .input(
      z.strictObject({
        name,
        options: optional(
          z.strictObject({
            description: optional(z.string().max(1000)).describe('Why the backup is taken'),
            notes: optional(z.string().max(20_000)).describe('Free remarks'),
          }),
        ).describe('What to write on the backup'),
      }),
    )
    .output(
      answer(
        Done.extend({
          id: ObjectId.describe('Id of the backup'),
          unchanged: z
            .boolean()
            .describe(
              'True: the newest backup has the same configuration, so that it was seen again, not stored anew',
            ),
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
