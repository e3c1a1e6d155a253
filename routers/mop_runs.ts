import { z } from 'zod';
import { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { Selection } from '#db/schemas/network/selection.ts';
import { DeviceSearch } from '#db/schemas/requests/configuration-search.ts';
import { searchDevices } from '#server/domains/golden-config/index.ts';
import {
  devicesLike,
  diffRuns,
  noteRun,
  runAnalyticTemplate,
  runCommand,
  runCommandOnDevices,
  runSingleCommand,
  runTemplate,
  testTemplate,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ, JOB_START, STUDIO_READ_OR_WRITE } from '#server/kernel/roles.ts';
import { DevicePage } from './configuration_manager/devices.ts';
import { optional } from './configuration_manager/requests.ts';
import { AnalyticResult, SentCommand, TemplateResult, TriedTemplate } from './mop_answers.ts';

const variables = optional(z.record(z.string(), z.unknown())).meta({
  description:
    'Values for <!name!> in commands and rules: strings, numbers, booleans, or lists of them; a command with a list is run once for each element',
  examples: [{ interface: 'GigabitEthernet0/1' }],
});
const command = z
  .string()
  .min(1)
  .meta({
    description: 'Command to send; <!name!> is replaced by a variable',
    examples: ['show interfaces <!interface!>'],
  });
const device = z
  .string()
  .min(1)
  .meta({ description: 'Name of the device', examples: ['edge-1'] });
const devices = z
  .union([device, z.array(device).min(1).max(1000)])
  .optional()
  .meta({
    description: 'Names of devices and device groups, or one name',
    examples: [['edge-1', 'edge-2']],
  });
const selection = Selection.optional().describe(
  'Devices by their properties, besides or instead of `devices`',
);
/** A request names its devices, selects them, or both. */
const DEVICES = {
  isNamed: (input: { devices?: unknown; selection?: unknown }) =>
    input.devices !== undefined || input.selection !== undefined,
  else: { path: ['devices'], message: 'is required, unless a selection is sent' },
};
const template = z.string().meta({ description: 'Name of the command template', examples: ['IOS precheck'] });

const entries = optional(
  z.array(
    z.looseObject({
      raw: z.string().meta({ description: 'The command as in the template', examples: ['show version'] }),
      evaluated: optional(z.string()).describe('The command as it was sent to the device'),
      device: optional(z.string()).describe('Name of the device'),
      response: optional(z.string()).describe('Response of the device'),
      error: optional(z.unknown()).describe('Why there was no response'),
    }),
  ),
).describe('The entries of the run; one of the two names is enough');
const run = (when: string) =>
  z
    .looseObject({ commands_results: entries, command_results: entries })
    .describe(`Complete result of a run of a command template ${when} the change`);
const Comparison = z.strictObject({
  pre: run('before'),
  post: run('after'),
  analytic_template_name: z
    .string()
    .meta({ description: 'Name of the analytic template', examples: ['Routes kept'] }),
  variables,
});

const UNREACHABLE =
  'A device that cannot be reached, or closes the connection, has an entry with `result` false and `error`; the other devices continue.';

const DRAFT = { 409: 'The template is a draft: its `errors` say why' };

/** Endpoints that run command templates and commands on devices, and compare runs (docs/mop.md). */
export const runs = {
  runCommandTemplate: allow(...JOB_START)
    .meta(
      rest('POST', '/mop/RunCommandTemplate', 'Run a command template on devices and device groups', {
        description: UNREACHABLE,
        errorResponses: DRAFT,
      }),
    )
    .input(z.strictObject({ template, devices, selection, variables }).refine(DEVICES.isNamed, DEVICES.else))
    .output(answer(TemplateResult))
    .mutation(
      outward(
        ({ ctx, input }) =>
          runTemplate(ctx, input, { signal: ctx.request.gone(), requestId: ctx.request.id }),
        (tx, input, { result }) => noteRun(tx, input.template, input.devices, result),
      ),
    ),

  runCommandTemplateSingleCommand: allow(...JOB_START)
    .meta(
      rest('POST', '/mop/RunCommandTemplateSingleCommand', 'Run one command of a command template', {
        description: UNREACHABLE,
        errorResponses: DRAFT,
      }),
    )
    .input(
      z
        .strictObject({
          templateId: template,
          commandIndex: z
            .int()
            .min(0)
            .meta({ description: 'Index of the command, counted from 0', examples: [0] }),
          devices,
          selection,
          variables,
        })
        .refine(DEVICES.isNamed, DEVICES.else),
    )
    .output(answer(TemplateResult))
    .mutation(
      outward(
        ({ ctx, input }) =>
          runSingleCommand(ctx, input, { signal: ctx.request.gone(), requestId: ctx.request.id }),
        (tx, { templateId, commandIndex, devices: named }, { result }) =>
          noteRun(tx, `${templateId}, command ${commandIndex}`, named, result),
      ),
    ),

  runCommand: allow(...JOB_START)
    .meta(rest('POST', '/mop/RunCommand', 'Send a command to a device', { description: UNREACHABLE }))
    .input(z.strictObject({ command, device, variables }))
    .output(answer(SentCommand))
    .mutation(
      outward(
        ({ ctx, input }) => runCommand(ctx, input, { signal: ctx.request.gone(), requestId: ctx.request.id }),
        (tx, input) => noteRun(tx, input.command, input.device, null),
      ),
    ),

  runCommandDevices: allow(...JOB_START)
    .meta(
      rest('POST', '/mop/RunCommandDevices', 'Send a command to devices and device groups', {
        description: UNREACHABLE,
      }),
    )
    .input(z.strictObject({ command, devices, selection, variables }).refine(DEVICES.isNamed, DEVICES.else))
    .output(answer(z.array(SentCommand)))
    .mutation(
      outward(
        ({ ctx, input }) =>
          runCommandOnDevices(ctx, input, { signal: ctx.request.gone(), requestId: ctx.request.id }),
        (tx, input) => noteRun(tx, input.command, input.devices, null),
      ),
    ),

  testTemplate: allow(...STUDIO_READ_OR_WRITE)
    .meta(
      rest(
        'POST',
        '/mop/testTemplate',
        'Apply the rules of a command template to outputs; nothing is sent or stored',
        {
          bodyLimit: 'import',
          errorResponses: { 422: 'Applying the rules exceeds the limit of time or memory.' },
        },
      ),
    )
    .input(
      z
        .strictObject({
          template: CommandTemplate.partial({ name: true }).describe('The template, stored or not'),
          outputs: z
            .array(z.string().nullable())
            .describe('Output of each command, in the order of the commands; null: none'),
          variables,
        })
        .meta({
          examples: [
            {
              template: {
                commands: [{ command: 'show version', rules: [{ rule: 'Version', eval: 'contains' }] }],
              },
              outputs: ['Cisco IOS Software, Version 15.2(4)E10'],
            },
          ],
        }),
    )
    .output(answer(TriedTemplate))
    .query(({ input }) => testTemplate(input)),

  runAnalyticsTemplate: allow(...JOB_START)
    .meta(
      rest('POST', '/mop/runAnalyticsTemplate', 'Compare two runs in which each command occurs once', {
        bodyLimit: 'import',
      }),
    )
    .input(Comparison)
    .output(answer(AnalyticResult))
    .query(({ ctx, input }) => runAnalyticTemplate(ctx, input, { byDevice: false })),

  runAnalyticsTemplateDevices: allow(...JOB_START)
    .meta(
      rest('POST', '/mop/runAnalyticsTemplateDevices', 'Compare two runs device by device', {
        bodyLimit: 'import',
      }),
    )
    .input(Comparison)
    .output(answer(AnalyticResult))
    .query(({ ctx, input }) => runAnalyticTemplate(ctx, input, { byDevice: true })),

  diff: allow(...CONFIG_READ)
    .meta(rest('POST', '/mop/diff', 'Compare two texts or runs', { bodyLimit: 'import' }))
    .input(
      z.strictObject({
        pre: z.unknown().meta({ description: 'A text, or the result of a run', examples: ['up\n'] }),
        post: z.unknown().meta({ description: 'The same after the change', examples: ['down\n'] }),
      }),
    )
    .output(
      answer(
        z.array(z.tuple([z.union([z.literal(-1), z.literal(0), z.literal(1)]), z.string()])).meta({
          description: 'Lines: -1 removed, 0 the same, 1 added',
          examples: [
            [
              [-1, 'up\n'],
              [1, 'down\n'],
            ],
          ],
        }),
      ),
    )
    .query(({ input }) => diffRuns(input.pre, input.post)),

  devices: allow(...CONFIG_READ)
    .meta(rest('GET', '/mop/devices/:substring', 'Names of devices that contain a text'))
    .input(
      z.strictObject({
        substring: z.string().meta({ description: 'Text; case is ignored', examples: ['edge'] }),
      }),
    )
    .output(answer(z.array(z.string())))
    .query(({ ctx, input }) => devicesLike(ctx, input.substring)),

  deviceObjects: allow(...CONFIG_READ)
    .meta(rest('POST', '/mop/deviceObjects', 'Search for devices: the same as the list of devices'))
    .input(z.strictObject({ options: optional(DeviceSearch).describe('Filter, page and order') }))
    .output(answer(DevicePage))
    .query(({ ctx, input }) => searchDevices(ctx, input.options ?? {})),
};
