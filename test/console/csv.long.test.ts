import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { allScreens, isOfOneObject, openScreen } from '../helpers/console/screens.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** The permissions of all roles are a table that the page makes. */
const MADE_BY_PAGE = ['/admin/roles'];

describeInBrowser('the CSV files of lists', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);

  test('every list screen downloads a file that the server writes, with a header row', async () => {
    await createPerson(service, ['apiread']);
    const page = await signInWith(['admin'], '/account');
    const saved: string[] = [];
    const failed: string[] = [];
    for (const { path, route } of (await allScreens()).filter((screen) => !isOfOneObject(screen))) {
      await openScreen(page, path);
      await page.locator('main').getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      const button = page.getByRole('button', { name: 'CSV', exact: true });
      if (MADE_BY_PAGE.includes(route) || (await button.count()) === 0) continue;
      const [download] = await Promise.all([
        page.waitForEvent('download').catch(() => undefined),
        button.click(),
      ]);
      const message = await page.getByRole('alert').allInnerTexts();
      const text = download && (await readFile(await download.path(), 'utf8'));
      if (text && /^\w[^\r\n]*\r\n/.test(text) && new URL(download.url()).pathname.startsWith('/lists/'))
        saved.push(route);
      else failed.push(`${route}: ${message.join(' ')} ${text?.slice(0, 300) ?? 'no download'}`);
    }
    expect(failed).toEqual([]);
    expect(saved.length).toBeGreaterThan(20);
  });

  test('a filtered list is saved with its filter and its own header row, and a rejection is shown', async () => {
    const person = await createPerson(service, ['apiread']);
    const page = await signInWith(['admin'], `/admin/accounts?q=${person.username}`);
    await page.getByRole('cell', { name: person.username }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('accounts.csv');
    const [head, row, end] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(head).toContain('Username,');
    expect(row).toContain(person.username);
    expect(end).toBe('');
    await page.route('**/lists/**', (route) =>
      route.fulfill({ status: 429, json: { message: 'Four files are written' } }),
    );
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    await page.getByText('Four files are written').waitFor();
  });
});
