import type { Page } from 'playwright-core';

/** Pixels that a control may move as parts of its page arrive: a press still meets it. */
const PIXELS = 8;
/** Milliseconds by which answers are late, by their place on the page; each order of arrival is another one. */
const DELAYS = [
  [350, 50, 250, 450, 150, 500],
  [50, 450, 350, 150, 500, 250],
];

/**
 * Runs in a page before the console: answers arrive late, and what moves in the main part is collected. Text, because the types of a
 * browser are not those of the tests.
 */
export const LATE_ANSWERS = `
  globalThis.late = { delays: [], asked: 0, moved: [] };
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const { delays } = late;
    const delay = delays[late.asked++ % delays.length] ?? 0;
    const answer = await send(...request);
    await new Promise((resolve) => setTimeout(resolve, delay));
    return answer;
  };
  const CONTROL = 'a[href], button, input, select, textarea, summary';
  const nameOf = (node) => node.getAttribute('aria-label') ?? node.className ?? node.tagName;
  new PerformanceObserver((list) => {
    for (const { sources, hadRecentInput } of list.getEntries())
      for (const { node, previousRect, currentRect } of hadRecentInput ? [] : sources) {
        if (!(node instanceof Element) || !node.closest('main')) continue;
        if (!node.matches(CONTROL) && !node.querySelector(CONTROL)) continue;
        // What only grows at one side leaves its controls where they are.
        const [x, y] = [['left', 'right'], ['top', 'bottom']].map((sides) =>
          Math.round(Math.min(...sides.map((side) => Math.abs(currentRect[side] - previousRect[side])))));
        if (Math.max(x, y) > ${PIXELS}) late.moved.push(node.tagName.toLowerCase() + ' ' + nameOf(node) + ' by ' + x + ', ' + y);
      }
  }).observe({ type: 'layout-shift' });
`;

/**
 * Opens a page while its answers arrive late, one after another.
 *
 * @param open opens it
 * @param order which of the orders of arrival
 * @returns the controls that moved after they had been seen, with the distance in pixels
 */
export async function movedOn(page: Page, open: () => Promise<unknown>, order: number): Promise<string[]> {
  const delays = JSON.stringify(DELAYS[order % DELAYS.length]);
  await page.evaluate(`Object.assign(late, { delays: ${delays}, asked: 0 })`);
  await open();
  await page.evaluate('late.moved.length = 0');
  await page.locator('main h1').waitFor();
  // All that was asked at once is there, and what was asked after it.
  await page.waitForTimeout(Math.max(...DELAYS.flat()) + 100);
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  return page.evaluate<string[]>(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(late.moved))))',
  );
}
