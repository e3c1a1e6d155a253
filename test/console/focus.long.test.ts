import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { focused, press, tabTo } from '../helpers/console/keys.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

describeInBrowser('the focus of the console', async () => {
  const service = await openService();
  const { signIn } = await openConsole(service);
  const admin = await service.as('admin');
  for (const name of ['pier-1', 'pier-2', 'pier-3'])
    await admin.secrets.createProvider({
      provider: { name, kind: 'environment', prefix: 'SWITCHYARD_SECRET_' },
    });
  const person = await createPerson(service, ['admin']);

  test('stays in the list when a row is deleted, on the row that took its place, and on the page after the last one', async () => {
    const page = await signIn(person, '/admin/secrets');
    const rows = page.getByRole('table', { name: 'Secret providers' }).locator('tbody tr');
    for (const [left, name, next] of [
      [2, 'pier-2', 'Actions of pier-3'],
      [1, 'pier-3', 'Actions of pier-1'],
    ] as const) {
      await tabTo(page, `Actions of ${name}`);
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      await page.keyboard.type('Delete');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await press(page, 'Delete provider');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => rows.count()).toBe(left);
      await expect.poll(() => focused(page)).toBe(next);
    }
  });

  test('returns to what opened a dialog, also where the browser draws late', async () => {
    const page = await signIn(person, '/jobs');
    await press(page, /^Search/);
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.evaluate('requestAnimationFrame = (draw) => setTimeout(draw, 1000)');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^Search/);
  });

  test('has a ring in menus and in the palette, and a button can be read where the system sets all colours', async () => {
    const page = await signIn(person, '/jobs');
    const style = (selector: string, name: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    const ring = () => style('.menu-item[data-focused]', 'outlineWidth');
    await press(page, new RegExp(`^${person.username}`));
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await ring()).toBe('2px');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages and documents' }).press('ArrowDown');
    expect(await ring()).toBe('2px');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await ring()).toBe('2px');
    await page.keyboard.press('Escape');
    const primary = '.button[data-variant="primary"]';
    // With `auto` the browser draws the background of the page behind the text.
    expect(await style(primary, 'forcedColorAdjust')).toBe('none');
    expect(await style(primary, 'color')).not.toBe(await style(primary, 'backgroundColor'));
    expect(await style('select.input', 'appearance')).not.toBe('none');
    // The router marks every link to the page that shows it, also those of its content.
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', '<a id="own" aria-current="page">Jobs</a>')`,
    );
    expect(await style('#own', 'outlineStyle')).toBe('none');
    expect(await style('nav [aria-current="page"]', 'outlineStyle')).toBe('dashed');
  });

  test('stays on the page when a filter that left nothing is cleared', async () => {
    const page = await signIn(person, '/admin/accounts');
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nobody of this name');
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
    await press(page, 'Clear filters');
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('announces to screen readers how many rows a filter leaves, and a new order', async () => {
    const page = await signIn(person, '/admin/accounts');
    const outcome = page.getByRole('status', { name: 'Outcome of the filters' });
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    expect(await outcome.textContent()).toBe('');
    await page.keyboard.press('/');
    await page.keyboard.type(person.username);
    await outcome.getByText('1 row, sorted by Username, ascending').waitFor();
    await press(page, /^Username/);
    await outcome.getByText('1 row, sorted by Username, descending').waitFor();
  });

  test('leaves the link to the list of a document unmarked: screen readers do not announce it as the current page', async () => {
    const page = await signIn(person, `/admin/accounts/${person.id}`);
    await page.getByRole('heading', { level: 1, name: person.username }).waitFor();
    const path = page.getByRole('navigation', { name: 'Path' });
    await path.getByRole('link', { name: 'Accounts' }).waitFor();
    expect(await path.locator('[aria-current]').count()).toBe(0);
  });

  test('keeps every key that is typed into a field whose text is kept in the address', async () => {
    const page = await signIn(person, '/admin/audit');
    const account = page.getByLabel('Account', { exact: true });
    await account.pressSequentially('adminstrator');
    await page.waitForURL(/account=adminstrator$/);
    for (let back = 0; back < 'strator'.length; back++) await account.press('ArrowLeft');
    await account.pressSequentially('i-');
    await page.waitForURL(/account=admini-strator$/);
    expect(await account.inputValue()).toBe('admini-strator');
  });
});
