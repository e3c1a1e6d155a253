import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where the tests put pictures of the console: `CONSOLE_PICTURES`, or a folder below that for temporary files. */
const FOLDER = process.env.CONSOLE_PICTURES ?? join(tmpdir(), 'switchyard-console-pictures');

/** Writes a picture of what a page shows, named `name.png`. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}
