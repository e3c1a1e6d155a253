import { z } from 'zod';
import { Line, Spec } from '#db/schemas/golden-config/config-spec.ts';
import {
  NewSpec,
  SpecUpdate,
  TEMPLATE,
  Template,
  VALUES,
  Variables,
} from '#db/schemas/requests/config-spec.ts';
import {
  createSpec,
  generateSpec,
  getSpec,
  renderText,
  specTemplate,
  translateSpec,
  updateSpec,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { optional } from './requests.ts';
import { Warned } from './warned.ts';

const CONFIGURATION = 'hostname edge-1\nntp server 192.0.2.9\n';
const SpecId = z.string().describe('Id of the spec');

export const specs = {
  getSpec: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/config_specs/:id', 'The rules of one node'))
    .input(z.strictObject({ id: SpecId }))
    .output(answer(Spec))
    .query(({ ctx, input }) => getSpec(ctx, input.id)),

  createSpec: allow(...CONFIG_WRITE)
    .meta(rest('POST', '/configuration_manager/config_specs', 'Create a standalone spec'))
    .input(
      z
        .strictObject({
          data: NewSpec,
        })
        .meta({ examples: [{ data: { deviceType: 'cisco-ios', template: TEMPLATE, variables: VALUES } }] }),
    )
    .output(answer(Spec))
    .mutation(write(({ ctx, input }) => createSpec(ctx, input.data))),

  updateSpec: allow(...CONFIG_WRITE)
    .meta(
      rest('PUT', '/configuration_manager/config_specs/:id', 'Change the rules of a node', {
        description: 'Send either the template, from which the lines are derived, or the lines.',
      }),
    )
    .input(
      z
        .strictObject({
          id: SpecId,
          data: SpecUpdate,
        })
        .meta({ examples: [{ data: { template: TEMPLATE, variables: VALUES } }] }),
    )
    .output(answer(Warned))
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        message: `Updated config spec ${input.id}`,
        warnings: await updateSpec(ctx, input.id, input.data),
      })),
    ),

  generateSpec: allow(...CONFIG_READ)
    .meta(
      rest('POST', '/configuration_manager/generate/config_spec', 'Rules for each line of a configuration'),
    )
    .input(
      z
        .strictObject({
          deviceType: optional(z.string()).describe('Name of the config parser for the text'),
          ostype: optional(z.string()).describe('The same, under the name that some clients use'),
          nativeConfig: z.string().meta({ description: 'The configuration', examples: [CONFIGURATION] }),
        })
        .meta({ examples: [{ deviceType: 'cisco-ios', nativeConfig: CONFIGURATION }] }),
    )
    .output(answer(z.object({ lines: z.array(Line), template: Template })))
    .query(({ ctx, input }) => generateSpec(ctx, input)),

  translateSpec: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/translate/config_spec', 'Rules as the text of a template'))
    .input(
      z
        .strictObject({
          lines: optional(z.array(Line)).describe('The rules'),
          specId: optional(SpecId).describe('Id of the spec with these rules'),
        })
        .meta({ examples: [{ lines: [{ words: [{ type: 'literal', value: 'shutdown' }] }] }] }),
    )
    .output(answer(z.object({ config: z.string().describe('Template with these rules') })))
    .query(({ ctx, input }) => translateSpec(ctx, input)),

  renderSpecTemplate: allow(...CONFIG_READ)
    .meta(
      rest(
        'POST',
        '/configuration_manager/config_template',
        'The template of a spec, as source and rendered',
      ),
    )
    .input(
      z.strictObject({
        deviceConfigId: optional(SpecId),
        specId: optional(SpecId).describe('The same, under its usual name'),
        variables: optional(Variables).describe('Values that override those of the version of the spec'),
      }),
    )
    .output(
      answer(
        z.object({ template: Template, rendered: z.string().describe('Its text with all values inserted') }),
      ),
    )
    .query(({ ctx, input }) => specTemplate(ctx, input)),

  renderJinja2: allow(...CONFIG_READ)
    .meta(
      rest('POST', '/configuration_manager/jinja2', 'Render a Jinja template', {
        statuses: { 201: 'The rendered text.' },
        description: 'A safe subset of Jinja: no files, no processes, at most one second and 1 MiB.',
      }),
    )
    .input(
      z
        .strictObject({
          template: z
            .string()
            .meta({ description: 'The template', examples: ['hostname {{ name | upper }}'] }),
          variables: optional(Variables),
          options: optional(z.looseObject({})).describe('Has no effect; accepted because clients send it'),
        })
        .meta({ examples: [{ template: 'hostname {{ name | upper }}', variables: { name: 'edge-1' } }] }),
    )
    .output(answer(z.string()))
    .query(({ input }) => renderText(input.template, input.variables ?? {}, ['template'])),
};
