import { and, eq, sql } from 'drizzle-orm';
import { readable } from '#db/document-kinds/readable.ts';
import type { Template } from '#db/schemas/assets/template.ts';
import { templates } from '#db/tables/assets/assets.ts';
import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { conflict, invalid, invalidRequest, notFound, unprocessable } from '#server/kernel/errors.ts';
import { renderInTime } from '#server/kernel/jinja/render-in-thread.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { mayBacktrack } from '../textfsm/expressions.ts';
import { recordsOf, type TextFsmRead } from '../textfsm/read.ts';
import type { TextFsmRecord } from '../textfsm/run.ts';
import { compileIssues } from './check.service.ts';

/** Identifies a stored template; the group decides where several have the name. */
export type TemplateKey = { name: string; group?: string | undefined };

/**
 * Renders a Jinja template: a stored one, or the given text of one (contract/lifecycle#5.4).
 *
 * @param template key of a stored template, or the source of one
 * @param variables values by the names that the template reads
 * @param field the field of the request that holds the variables, for issues
 * @returns the rendered text
 * @throws ServiceError NOT_FOUND; CONFLICT when several have the name; BAD_REQUEST for variables that it cannot be
 *   rendered with, and when the given template does not compile; UNPROCESSABLE_CONTENT when a stored one does not compile
 */
export async function renderTemplate(
  ctx: ReadContext,
  template: TemplateKey | string,
  variables: Readonly<Record<string, unknown>>,
  field: string,
): Promise<string> {
  if (typeof template === 'string')
    assertNone(await compileIssues({ type: 'jinja2', template }, ['template']));
  const rendered = await renderInTime({
    template: typeof template === 'string' ? template : await textOf(ctx, 'jinja2', template),
    variables,
    dialect: 'jinja',
  });
  if ('text' in rendered) return rendered.text;
  const { message, variable, line, column } = rendered.error;
  const path = variable === undefined ? [field] : [field, variable];
  throw invalidRequest([{ path, message, code: 'template', line, column }]);
}

/**
 * Parses a text with a TextFSM template: a stored one, or the given text of one (contract/lifecycle#5.4).
 *
 * @param template key of a stored template, or the source of one
 * @param text output of a device
 * @returns the records, in the order of the text
 * @throws ServiceError NOT_FOUND, CONFLICT; BAD_REQUEST when the given template does not compile; UNPROCESSABLE_CONTENT
 *   when it rejects the text, or a stored one does not compile
 */
export async function parseText(
  ctx: ReadContext,
  template: TemplateKey | string,
  text: string,
): Promise<TextFsmRecord[]> {
  // A stored template may be empty while it is a draft; one that is to parse a text may not.
  if (template === '') throw invalid(['template'], 'is empty: a template begins with its Values', 'template');
  if (typeof template === 'string')
    assertNone(await compileIssues({ type: 'textfsm', template }, ['template']));
  const source = typeof template === 'string' ? template : await textOf(ctx, 'textfsm', template);
  const request = { template: source, text };
  const read =
    source.length * text.length <= MOST_AT_ONCE && !mayBacktrack(source)
      ? recordsOf(request)
      : ((await calculateForRequest('text by TextFSM', request, (reason) =>
          unprocessable(`Parsing the text with the template ${reason}`),
        )) as TextFsmRead);
  if ('error' in read) throw unprocessable(read.error);
  return read.records;
}

/** Maximum product of the lengths of template and text for parsing on the event loop: a few milliseconds. */
const MOST_AT_ONCE = 500_000;

/** Returns the text of a stored template that compiles. */
async function textOf(
  { db, principal }: ReadContext,
  type: Template['type'],
  { name, group }: TemplateKey,
): Promise<string> {
  const isGrouped = group === undefined ? undefined : eq(templates.group, group);
  const isCalled = and(eq(templates.name, name), eq(templates.type, type), isGrouped);
  const found = await db
    .select({ group: templates.group, text: sql<string | null>`${templates.doc} ->> 'template'` })
    .from(templates)
    .where(and(isCalled, readable('template', principal)))
    .orderBy(templates.id)
    .limit(5);
  const [first, second] = found;
  if (!first) throw notFound(type === 'textfsm' ? 'TextFSM template' : 'Jinja template', name);
  if (second) {
    const groups = found.map((one) => one.group).join(', ');
    throw conflict(`Several templates are named ${name}, in the groups ${groups}: send the group as well`);
  }
  const text = first.text ?? '';
  const [issue] = await compileIssues({ type, template: text }, []);
  if (issue) throw unprocessable(`Template ${name} does not compile: ${issue.message}`);
  if (text === '' && type === 'textfsm') throw unprocessable(`Template ${name} is empty`);
  return text;
}
