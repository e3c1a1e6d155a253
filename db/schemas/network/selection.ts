import { z } from 'zod';

const most = 10_000;
const value = z.string().min(1).max(255);
const values = (description: string, example: string) =>
  z
    .array(value)
    .min(1)
    .max(1000)
    .optional()
    .meta({ description, examples: [[example]] });

const criteria = {
  names: z
    .array(value)
    .min(1)
    .max(most)
    .optional()
    .meta({ description: 'Names of devices', examples: [['edge-1', 'edge-2']] }),
  pattern: value.optional().meta({
    description:
      'Pattern of the whole name, ignoring case: * stands for any text, ? for one character; * alone selects all devices',
    examples: ['edge-*'],
  }),
  tags: values('Tags, one of which the device has', 'core'),
  groups: values('Names or ids of device groups, one of which has the device', 'Edge'),
  platforms: values('Config parsers or device types, ignoring case', 'cisco-ios'),
  sites: values('Sites, one of which the device is at', 'berlin-1'),
  sources: values('Inventory sources that manage the device, or origins that report it', 'netbox'),
};

const isEmpty = (selection: object) =>
  Object.entries(selection).every(([name, value]) => name === 'exclude' || value === undefined);
const EMPTY =
  'must have at least one of names, pattern, tags, groups, platforms, sites and sources; for all devices, send the pattern *';

/** Which devices to exclude from a selection. */
const Exclude = z.union([
  z.array(value).min(1).max(1000),
  z.strictObject(criteria).refine((exclude) => !isEmpty(exclude), EMPTY),
]);

/** Devices by their properties: a device is selected when it matches every field. */
export const Selection = z
  .strictObject({
    ...criteria,
    exclude: Exclude.optional().meta({
      description: 'Devices to leave out: names or patterns, or a selection',
      examples: [['edge-9']],
    }),
  })
  .refine((selection) => !isEmpty(selection), EMPTY)
  .meta({
    id: 'Selection',
    description:
      'Devices by their properties: a device is selected when it matches every field, and one of the values of each. A selection without a field is rejected.',
    examples: [{ pattern: 'edge-*', exclude: ['edge-9'] }],
  });
export type Selection = z.infer<typeof Selection>;

/** Fields of a selection whose values can be listed. */
export const SelectionField = z.enum(['tags', 'platforms', 'sites', 'sources', 'groups']);
export type SelectionField = z.infer<typeof SelectionField>;

/** A value of a field, as it exists. */
export const SelectionValue = z
  .strictObject({
    value: z.string().meta({ description: 'The value, or the name of a group', examples: ['core'] }),
    devices: z
      .int()
      .min(0)
      .nullable()
      .describe('Number of devices with it that the caller may see; null for a group with a selection'),
  })
  .meta({ id: 'SelectionValue', description: 'A value of a field of selections.' });
export type SelectionValue = z.infer<typeof SelectionValue>;
