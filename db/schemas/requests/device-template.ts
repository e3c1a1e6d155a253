import { z } from 'zod';
import { optional } from '../fields.ts';
import { Name, ObjectId } from '../primitives.ts';

/** The name, the source and the variables of a device template. */
export const TemplateName = Name.meta({ description: 'Name of the template, unique', examples: ['NTP'] });
export const TemplateSource = z
  .string()
  .meta({ description: 'Source in Jinja (safe subset)', examples: ['ntp server {{ ntp }}\n'] });
export const TemplateVariables = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Values of its variables, by name', examples: [{ ntp: '192.0.2.9' }] });

/** Changes to a device template; missing fields keep their value. */
export const TemplateUpdate = z.strictObject({
  name: optional(TemplateName),
  template: optional(TemplateSource),
  variables: optional(TemplateVariables),
});
/** The fields of a device template in a request. */
export type TemplateChange = z.infer<typeof TemplateUpdate> & { deviceOSTypes?: string[] | undefined };

/** A template for a device, and variables that override its own. */
export const TemplateRequest = z.strictObject({
  deviceName: z
    .string()
    .max(255)
    .meta({ description: 'Name of the device', examples: ['edge-1'] }),
  templateId: ObjectId.describe('Id of the template'),
  options: optional(
    z.strictObject({
      variables: optional(TemplateVariables).describe('They take precedence over those of the template'),
      dryRun: optional(z.boolean()).describe(
        'True: the lines are tested when the device supports that, otherwise only returned',
      ),
    }),
  ).describe('How to apply it'),
});
export type TemplateRequest = z.infer<typeof TemplateRequest>;
