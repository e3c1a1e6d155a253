import type { Page } from 'playwright-core';

/**
 * Collects the titles of the browser tab.
 *
 * @returns a function that notes the title of the page that is shown, and says what is wrong with it; undefined: nothing
 */
export function tabTitles() {
  const pathOf = new Map<string, string>();
  return async (page: Page, path: string): Promise<string | undefined> => {
    const title = await page.title();
    const heading = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    const other = pathOf.get(title);
    pathOf.set(title, path);
    if (other !== undefined) return `${path} and ${other} have the same title: ${title}`;
    if (!title.includes(heading)) return `the title of ${path} does not name its page: ${title}`;
    return title.endsWith(' · Switchyard')
      ? undefined
      : `the title of ${path} does not name the product: ${title}`;
  };
}
