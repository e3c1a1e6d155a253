import type { Template } from '#db/schemas/template.ts';
import { TemplateRefused } from '#server/engines/jinja/refusal.ts';
import { compileTemplate } from '#server/engines/jinja/template.ts';
import { compileTextFsm } from '#server/engines/textfsm/compile.ts';
import { TextFsmRefused } from '#server/engines/textfsm/template.ts';
import type { Issue } from '#server/errors.ts';

/** What the checks look at. */
export type Checkable = Pick<Template, 'group' | 'type' | 'template'>;

/** A group that is blank: templates are listed under it (lifecycle §5.4). */
export const groupIssues = ({ group }: Pick<Checkable, 'group'>, path: Issue['path']): Issue[] =>
  group.trim() === ''
    ? [
        {
          path: [...path, 'group'],
          message: 'must not be blank: templates are listed under it',
          code: 'custom',
        },
      ]
    : [];

/**
 * Why a template does not compile, each with its line; a template without text compiles.
 *
 * @param path where the text stands in the request
 */
export function compileIssues({ type, template }: Omit<Checkable, 'group'>, path: Issue['path']): Issue[] {
  if (!template) return [];
  try {
    if (type === 'textfsm') compileTextFsm(template);
    else compileTemplate(template);
    return [];
  } catch (error) {
    if (error instanceof TextFsmRefused) {
      return error.issues.map(({ line, message }) => ({
        path,
        message: `line ${line}: ${message}`,
        code: 'template',
      }));
    }
    if (error instanceof TemplateRefused) return [{ path, message: error.message, code: 'template' }];
    throw error;
  }
}
