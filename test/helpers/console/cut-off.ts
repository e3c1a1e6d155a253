import type { Page } from 'playwright-core';

/**
 * Runs in the page. Returns what its user cannot reach: a page that scrolls sideways, and controls or headings beyond its edges
 * that no part of the page scrolls to.
 */
const FIND = `(() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width + 1) found.push('the page is ' + document.documentElement.scrollWidth + ' pixels wide');
  const scrolls = (element) => {
    for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
      const { overflowX } = getComputedStyle(above);
      if ((overflowX === 'auto' || overflowX === 'scroll') && above.clientWidth > 40) return true;
    }
    return false;
  };
  const nameOf = (element) => element.tagName.toLowerCase() + ' ' + (element.getAttribute('aria-label') || element.textContent || element.id).trim().slice(0, 60);
  for (const element of document.querySelectorAll('a, button, input, select, textarea, summary, h1, h2, h3, label')) {
    const { left, right, width: own, height } = element.getBoundingClientRect();
    if (own < 2 || height < 2 || !element.checkVisibility() || element.closest('.visually-hidden, .skip-link, .react-flow')) continue;
    if ((left < -1 || right > width + 1) && !scrolls(element)) found.push(nameOf(element) + ' is beyond the edge');
    else if (/^(BUTTON|H1|H2|H3|LABEL)$/.test(element.tagName) && getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).textOverflow !== 'ellipsis') found.push(nameOf(element) + ' is cut off');
  }
  return found;
})()`;

/** Returns what is cut off or beyond the edges of a page, and what makes it scroll sideways. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND);
