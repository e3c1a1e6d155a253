import {
  CALCULATION_LIMIT,
  CalculationRefused,
  calculateInThread,
  tooManyWait,
} from '#server/kernel/calculations/calculation-pool.ts';
import { AT_ONCE, LONGEST_AT_ONCE, type RenderedText, renderedIn, type TemplateTexts } from './rendered.ts';

/**
 * Renders a template: here when that takes but a moment, in a thread when it takes longer or is refused.
 *
 * @throws ServiceError TOO_MANY_REQUESTS when too many others wait
 */
export async function renderInTime(asked: TemplateTexts): Promise<RenderedText> {
  if (asked.template.length <= LONGEST_AT_ONCE) {
    const rendered = renderedIn(asked, AT_ONCE);
    if ('text' in rendered) return rendered;
  }
  try {
    return (await calculateInThread('rendering', asked, CALCULATION_LIMIT)) as RenderedText;
  } catch (error) {
    if (!(error instanceof CalculationRefused)) throw error;
    if (error.reason === 'busy') throw tooManyWait(error);
    return { refused: { message: `rendering the template ${error.message}`, line: 1, column: 1 } };
  }
}
