import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where the tests put pictures of the console; without it they take none, which costs a fifth of a second each. */
const FOLDER = process.env.CONSOLE_PICTURES;

/** Writes a picture of what a page shows, named `name.png`, into the folder that `CONSOLE_PICTURES` names; without one, none. */
export async function picture(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}
