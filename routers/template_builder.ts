import { z } from 'zod';
import { parseText, renderTemplate } from '#server/domains/assets/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router } from '#server/kernel/procedures.ts';
import { WORKFLOW_READ } from '#server/kernel/roles.ts';

const name = z.string().describe('Name of the template');
const group = z.string().nullish().describe('Its group, when several groups have a template of this name');
const values = (description: string) => z.record(z.string(), z.unknown()).describe(description);

const Cell = z.union([
  z.string(),
  z.array(z.union([z.string(), z.record(z.string(), z.string().nullable())]).nullable()),
]);

const AMBIGUOUS = 'Several groups have a template of this name, and no group is given.';
const UNCOMPILED = {
  errorResponses: { 409: AMBIGUOUS, 422: 'The stored template does not compile.' },
} as const;

export const templateBuilder = router({
  renderJinja: allow(...WORKFLOW_READ)
    .meta(
      rest(
        'POST',
        '/template_builder/templates/:name/renderJinja',
        'Render a stored Jinja template',
        UNCOMPILED,
      ),
    )
    .input(z.strictObject({ name, context: values('Variables, by name'), group }))
    .output(answer(z.string().describe('The rendered text')))
    .query(({ ctx, input: { name, group, context } }) =>
      renderTemplate(ctx, { name, group: group ?? undefined }, context, 'context'),
    ),

  applyTemplate: allow(...WORKFLOW_READ)
    .meta(
      rest(
        'POST',
        '/template_builder/applyTemplate',
        'Render a stored Jinja template, named in the body',
        UNCOMPILED,
      ),
    )
    .input(z.strictObject({ name, variables: values('Variables, by name'), group }))
    .output(answer(z.string().describe('The rendered text')))
    .query(({ ctx, input: { name, group, variables } }) =>
      renderTemplate(ctx, { name, group: group ?? undefined }, variables, 'variables'),
    ),

  parseTemplate: allow(...WORKFLOW_READ)
    .meta(
      rest('POST', '/template_builder/parseTemplate', 'Parse a text with a TextFSM template', {
        errorResponses: {
          409: AMBIGUOUS,
          422: 'The template rejects the text, or the stored template does not compile.',
        },
      }),
    )
    .input(
      z
        .strictObject({
          name: z.string().nullish().describe('Name of a stored template, unless `template` is given'),
          template: z.string().nullish().describe('The template itself, unless `name` is given'),
          group,
          text: z.string().describe('The text to parse'),
        })
        .refine(({ name, template }) => (name ?? null) === null || (template ?? null) === null, {
          path: ['template'],
          error: 'cannot be combined with name: send one of them',
        })
        .refine(({ name, template }) => (name ?? template ?? null) !== null, {
          path: ['name'],
          error: 'is required, or send the template itself',
        })
        .meta({ examples: [{ name: 'IOS show version', text: 'Cisco IOS Software, Version 15.2' }] }),
    )
    .output(answer(z.array(z.record(z.string(), Cell)).describe('The records, by the names of the values')))
    .query(({ ctx, input: { name, group, template, text } }) =>
      parseText(ctx, template ?? { name: name ?? '', group: group ?? undefined }, text),
    ),
});
