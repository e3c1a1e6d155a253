import type { Page } from 'playwright-core';

/** Most presses of Tab until something must have the focus. */
const TABS = 120;

/** The role and the name of what has the focus, as a screen reader says them. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return '';
  const label = at.getAttribute('aria-label')
    ?? (at.labels?.length ? [...at.labels].map((one) => one.textContent).join(' ') : undefined)
    ?? at.textContent;
  return (label ?? '').replaceAll(/\\s+/g, ' ').trim();
})()`;

/** The name of what has the focus. */
export const focused = (page: Page) => page.evaluate<string>(FOCUSED);

/** Presses Tab until something of this name has the focus. @throws Error with what had it instead */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < TABS; presses++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (typeof name === 'string' ? now === name : name.test(now)) return;
    seen.push(now);
  }
  throw new Error(`Tab never reaches ${name}: ${[...new Set(seen)].join(' | ').slice(0, 1500)}`);
}

/** Reaches something by Tab and activates it. */
export async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}
