import type { Page } from 'playwright-core';

/** Opens the menu of a row, and presses one of its actions. */
export async function act(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${row}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Presses the action of the dialog that is open, and waits until it has closed. */
export async function send(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
