import { DIALECTS } from './dialect.ts';
import { JinjaError } from './jinja-error.ts';
import { render } from './render.ts';
import { LIMITS, type RenderLimits } from './run.ts';
import { compileTemplate } from './template.ts';
import { dictOf } from './values.ts';

/** A template, its variables as they are sent, and the name of its dialect. */
export type TemplateTexts = {
  template: string;
  variables: Readonly<Record<string, unknown>>;
  dialect: keyof typeof DIALECTS;
};

/** The rendered text, or why the template was rejected: a thread returns errors instead of throwing ours. */
export type RenderedText =
  | { text: string }
  | { error: { message: string; line: number; column: number; variable?: string | undefined } };

/** The limits for rendering on the event loop, where other requests wait: some hundredths of a second. */
export const AT_ONCE: RenderLimits = { ...LIMITS, steps: 150_000 };
/** Maximum length, in characters, of a template that is compiled on the event loop. */
export const LONGEST_AT_ONCE = 30_000;

/** Returns the text of a template as Jinja reads it: with one form of line ends, and without the last one. */
const asFileText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\n$/, '');

/** Compiles and renders a template. @returns the text, or why the template has none */
export function renderedIn(
  { template, variables, dialect: name }: TemplateTexts,
  limits: RenderLimits = LIMITS,
): RenderedText {
  const dialect = DIALECTS[name];
  const source = dialect.dropsLastLineEnd ? asFileText(template) : template;
  try {
    return { text: render(compileTemplate(source), dictOf(Object.entries(variables)), limits, dialect).text };
  } catch (error) {
    if (!(error instanceof JinjaError)) throw error;
    const { message, line, column, variable } = error;
    return { error: { message, line, column, variable } };
  }
}
