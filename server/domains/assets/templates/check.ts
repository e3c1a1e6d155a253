import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { Template } from '#db/schemas/assets/template.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { JinjaError } from '#server/kernel/jinja/jinja-error.ts';
import { compileTemplate } from '#server/kernel/jinja/template.ts';
import { compileTextFsm } from '../textfsm/compile.ts';
import { TextFsmTemplateError } from '../textfsm/template.ts';

/** The fields of a template that are checked. */
export type Checkable = Pick<Template, 'group' | 'type' | 'template'>;
/** The fields of a template that are compiled. */
export type Compilable = Omit<Checkable, 'group'>;
/** Why a template does not compile, as a message for users; `line` and `column` count from 1. */
export type TemplateError = { message: string; line: number; column: number; variable?: string | undefined };

/** Returns why a template does not compile as an error of the document. */
export const templateError = ({ message }: TemplateError): DraftError => ({
  path: ['template'],
  message,
  code: 'template',
});

/** Rejects a blank group: templates are listed under it (contract/lifecycle#5.4). */
export const groupIssues = ({ group }: Pick<Checkable, 'group'>, path: Issue['path']): Issue[] =>
  group.trim() === ''
    ? [
        {
          path: [...path, 'group'],
          message: 'must not be blank: it is the name under which templates are listed',
          code: 'custom',
        },
      ]
    : [];

/** Returns why a template does not compile; a template without text compiles. */
export function compileFaults({ type, template }: Compilable): TemplateError[] {
  if (!template) return [];
  try {
    if (type === 'textfsm') compileTextFsm(template);
    else compileTemplate(template);
    return [];
  } catch (error) {
    if (error instanceof TextFsmTemplateError) {
      return error.issues.map(({ line, message }) => ({
        message: `line ${line}: ${message}`,
        line,
        column: 1,
      }));
    }
    if (!(error instanceof JinjaError)) throw error;
    const { message, line, column, variable } = error;
    return [{ message, line, column, variable }];
  }
}
