import type { Page } from 'playwright-core';

/** What a user does on a page, by its controls. */
export type Use = (page: Page) => Promise<unknown>;
/** A view of a page: what follows its path before anything is used, and how the controls change it. */
export type View = { from?: string; use: Use };
export type Row = { path: string; views?: View[]; elsewhere?: string[] };

export const main = (page: Page) => page.locator('main');
export const filterOf = (page: Page) => main(page).getByRole('searchbox', { name: 'Filter' });
export const sortsOf = (page: Page) => main(page).locator('th button.sort');
export const fill =
  (label: string, text: string): Use =>
  (page) =>
    main(page).getByLabel(label, { exact: true }).fill(text);
export const choose =
  (label: string, option: string | { index: number } | { label: string }): Use =>
  (page) =>
    main(page).getByLabel(label, { exact: true }).selectOption(option);
export const press =
  (name: string | RegExp, role: 'button' | 'link' = 'button'): Use =>
  (page) =>
    main(page).getByRole(role, { name, exact: true }).first().click();
export const all =
  (...uses: Use[]): Use =>
  async (page) => {
    for (const use of uses) await use(page);
  };
/** Sorts a list by its last column that can sort, and filters it by a text. */
export const list =
  (text: string): Use =>
  async (page) => {
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    await main(page).locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    if ((await sortsOf(page).count()) > 0) await sortsOf(page).last().click();
    if ((await filterOf(page).count()) > 0) await filterOf(page).fill(text);
  };
