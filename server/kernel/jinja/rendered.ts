import { JinjaError } from './jinja-error.ts';
import { render } from './render.ts';
import { LIMITS, type RenderLimits } from './run.ts';
import { compileTemplate } from './template.ts';
import { dictOf } from './values.ts';

/** A template and its variables, as they are sent. */
export type TemplateTexts = { template: string; variables: Readonly<Record<string, unknown>> };

/** The rendered text, or why the template was rejected: a thread returns errors instead of throwing ours. */
export type RenderedText =
  | { text: string }
  | { error: { message: string; line: number; column: number; variable?: string | undefined } };

/** The limits for rendering on the event loop, where other requests wait: some hundredths of a second. */
export const AT_ONCE: RenderLimits = { ...LIMITS, steps: 150_000 };
/** Maximum length, in characters, of a template that is compiled on the event loop. */
export const LONGEST_AT_ONCE = 30_000;

/** Compiles and renders a template. @returns the text, or why the template has none */
export function renderedIn(
  { template, variables }: TemplateTexts,
  limits: RenderLimits = LIMITS,
): RenderedText {
  try {
    return { text: render(compileTemplate(template), dictOf(Object.entries(variables)), limits).text };
  } catch (error) {
    if (!(error instanceof JinjaError)) throw error;
    const { message, line, column, variable } = error;
    return { error: { message, line, column, variable } };
  }
}
