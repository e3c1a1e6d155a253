import { TemplateRefused } from './refusal.ts';
import { render } from './render.ts';
import { LIMITS, type RenderLimits } from './run.ts';
import { compileTemplate } from './template.ts';
import { dictOf } from './values.ts';

/** A template and its variables, as they are sent. */
export type TemplateTexts = { template: string; variables: Readonly<Record<string, unknown>> };

/** What a template renders to, or why it does not: a thread throws no errors of ours. */
export type RenderedText =
  | { text: string }
  | { refused: { message: string; line: number; column: number; variable?: string | undefined } };

/** What a template may use where others wait: some hundredths of a second. */
export const AT_ONCE: RenderLimits = { ...LIMITS, steps: 150_000 };
/** Longest template that is compiled where others wait, in characters. */
export const LONGEST_AT_ONCE = 30_000;

/** Compiles and renders a template. */
export function renderedIn(
  { template, variables }: TemplateTexts,
  limits: RenderLimits = LIMITS,
): RenderedText {
  try {
    return { text: render(compileTemplate(template), dictOf(Object.entries(variables)), limits).text };
  } catch (error) {
    if (!(error instanceof TemplateRefused)) throw error;
    const { message, line, column, variable } = error;
    return { refused: { message, line, column, variable } };
  }
}
