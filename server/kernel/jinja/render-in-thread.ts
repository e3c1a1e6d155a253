import { calculateOr } from '../calculations/calculation-pool.ts';
import { AT_ONCE, LONGEST_AT_ONCE, type RenderedText, renderedIn, type TemplateTexts } from './rendered.ts';

/**
 * Renders a template: on the event loop when it is quick, in a worker thread when it takes longer or is rejected.
 *
 * @throws ServiceError TOO_MANY_REQUESTS when too many others wait
 */
export async function renderInTime(texts: TemplateTexts): Promise<RenderedText> {
  if (texts.template.length <= LONGEST_AT_ONCE) {
    const rendered = renderedIn(texts, AT_ONCE);
    if ('text' in rendered) return rendered;
  }
  return calculateOr<RenderedText>('rendering', texts, (reason) => ({
    error: { message: `rendering the template ${reason}`, line: 1, column: 1 },
  }));
}
