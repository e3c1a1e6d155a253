import { z } from 'zod';
import { DeviceTemplate, ImportedTemplate } from '#db/schemas/network/device.ts';
import { Done, ObjectId } from '#db/schemas/primitives.ts';
import {
  TemplateName,
  TemplateRequest,
  TemplateSource,
  TemplateUpdate,
  TemplateVariables,
} from '#db/schemas/requests/device-template.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { paging } from '#db/schemas/requests/paging.ts';
import {
  applyTemplate,
  createTemplate,
  deleteTemplates,
  importTemplates,
  notePushed,
  searchTemplates,
  updateTemplate,
} from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { errorResponses, Line } from './live-devices.ts';
import { Deleted, ImportedNames, optional } from './requests.ts';

const PATH = '/configuration_manager/templates';

const Options = z.strictObject({
  deviceOSTypes: optional(z.array(z.string())).describe('Device types that it is for; none: any'),
});

export const deviceTemplates = {
  createDeviceTemplate: allow(...CONFIG_WRITE)
    .meta(rest('POST', PATH, 'Create a device template'))
    .input(
      z.strictObject({
        name: TemplateName,
        template: TemplateSource,
        variables: optional(TemplateVariables),
        options: optional(Options),
      }),
    )
    .output(answer(z.object({ result: z.literal('success'), data: DeviceTemplate })))
    .mutation(
      write(async ({ ctx, input: { options, ...given } }) => ({
        result: 'success' as const,
        data: await createTemplate(ctx, { ...given, deviceOSTypes: options?.deviceOSTypes }),
      })),
    ),

  searchDeviceTemplates: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/search`, 'Search for device templates'))
    .input(
      z.strictObject({
        name: optional(z.string()).describe('Text in the name, or an id'),
        options: optional(z.strictObject(paging)).describe('Page and order'),
      }),
    )
    .output(answer(z.object({ list: z.array(DeviceTemplate), total: z.int() })))
    .query(({ ctx, input }) => searchTemplates(ctx, input)),

  updateDeviceTemplate: allow(...CONFIG_WRITE)
    .meta(rest('PUT', PATH, 'Change a device template'))
    .input(
      z.strictObject({
        id: z.string().describe('Id of the template'),
        data: TemplateUpdate,
        options: optional(Options),
      }),
    )
    .output(
      answer(
        z.object({
          status: z.literal('success'),
          updated: z.literal(1).describe('Number of changed templates'),
        }),
      ),
    )
    .mutation(
      write(async ({ ctx, input: { id, data, options } }) => {
        await updateTemplate(ctx, id, { ...data, deviceOSTypes: options?.deviceOSTypes });
        return { status: 'success' as const, updated: 1 as const };
      }),
    ),

  deleteDeviceTemplates: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', PATH, 'Delete device templates'))
    .input(z.strictObject({ templateIds: z.array(ObjectId).describe('Ids of the templates') }))
    .output(answer(Deleted))
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        deleted: await deleteTemplates(ctx, input.templateIds),
      })),
    ),

  applyDeviceTemplate: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/apply`, 'Render a device template and push its lines to a device', {
        description:
          'Backs up the device, then sends line by line until one is rejected; `data` of the error has the result of each line.',
        errorResponses: {
          ...errorResponses,
          409: 'Another change on the device is running, or the adapter is stopped.',
        },
      }),
    )
    .input(TemplateRequest)
    .output(
      answer(
        Done.extend({
          result: z
            .array(z.object({ value: z.string().meta({ examples: ['4 command(s) sent'] }) }))
            .describe('What was done, in words'),
          chosenAdapter: z
            .string()
            .meta({ description: 'Adapter used for the device', examples: ['gateway'] }),
          commands: z.array(Line).describe('Result of each line'),
          backupId: ObjectId.optional().describe('Backup taken before the change'),
        }),
      ),
    )
    .mutation(
      outward(
        ({ ctx, input }) => applyTemplate(ctx, input),
        (tx, { deviceName }, applied) => notePushed(tx, deviceName, applied),
      ),
    ),

  importDeviceTemplates: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/templates', 'Import device templates, all or none', {
        bodyLimit: 'import',
      }),
    )
    .input(z.strictObject({ templates: z.array(imported(ImportedTemplate)).describe('Templates to import') }))
    .output(answer(ImportedNames))
    .mutation(
      write(async ({ ctx, input }) => {
        const { data, warnings } = await importTemplates(ctx, input.templates);
        const message = `Imported ${data.length} device ${data.length === 1 ? 'template' : 'templates'}`;
        return {
          status: 'success' as const,
          message: messageWithWarnings(message, warnings),
          data,
        } satisfies Done;
      }),
    ),
};
