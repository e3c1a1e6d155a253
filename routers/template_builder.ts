import { z } from 'zod';
import { parseText, renderTemplate } from '#server/domains/assets/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router } from '#server/kernel/procedures.ts';
import { WORKFLOW_READ } from '#server/kernel/roles.ts';

const name = z.string().describe('Name of the template');
const group = z.string().nullish().describe('Its group, when several groups have a template of this name');
const values = (description: string) => z.record(z.string(), z.unknown()).describe(description);

/** The stored template of a name, or a template itself. */
const NamedOrGiven = {
  name: z.string().nullish().describe('Name of a stored template, unless `template` is given'),
  template: z.string().nullish().describe('The template itself, unless `name` is given'),
  group,
};

type NamedOrGiven = { name?: string | null | undefined; template?: string | null | undefined };

const ONE_OF_THEM = { path: ['template'], error: 'cannot be combined with name: send one of them' };
const isNotBoth = ({ name, template }: NamedOrGiven) =>
  (name ?? null) === null || (template ?? null) === null;
const ANY_OF_THEM = { path: ['name'], error: 'is required, or send the template itself' };
const isAny = ({ name, template }: NamedOrGiven) => (name ?? template ?? null) !== null;

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
        'Render a Jinja template: a stored one that is named in the body, or the text of one',
        UNCOMPILED,
      ),
    )
    .input(
      z
        .strictObject({ ...NamedOrGiven, variables: values('Variables, by name') })
        .refine(isNotBoth, ONE_OF_THEM)
        .refine(isAny, ANY_OF_THEM)
        .meta({ examples: [{ name: 'Port turn-up', variables: { vlans: [10, 20] } }] }),
    )
    .output(answer(z.string().describe('The rendered text')))
    .query(({ ctx, input: { name, group, template, variables } }) =>
      renderTemplate(
        ctx,
        template ?? { name: name ?? '', group: group ?? undefined },
        variables,
        'variables',
      ),
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
        .strictObject({ ...NamedOrGiven, text: z.string().describe('The text to parse') })
        .refine(isNotBoth, ONE_OF_THEM)
        .refine(isAny, ANY_OF_THEM)
        .meta({ examples: [{ name: 'IOS show version', text: 'Cisco IOS Software, Version 15.2' }] }),
    )
    .output(answer(z.array(z.record(z.string(), Cell)).describe('The records, by the names of the values')))
    .query(({ ctx, input: { name, group, template, text } }) =>
      parseText(ctx, template ?? { name: name ?? '', group: group ?? undefined }, text),
    ),
});
