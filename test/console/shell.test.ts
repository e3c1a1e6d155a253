import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, loseSession, openConsole } from '../helpers/console/browser.ts';
import { isLong } from '../helpers/long.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const hasFocus = (element: Locator) =>
  element.evaluate(
    (field: { ownerDocument: { activeElement: unknown } }) => field.ownerDocument.activeElement === field,
  );

describeInBrowser('the shell of the console', async () => {
  const service = await openService();
  const { newContext, signIn, signInWith } = await openConsole(service);

  test('signs in at the address that was opened, and shows the areas of the account', async () => {
    const { username, password } = await createPerson(service, ['admin']);
    const page = await (await newContext()).newPage();
    await page.goto('/console/jobs?q=core');
    // No browser translates commands, or corrects what is typed.
    expect(await page.locator('html').getAttribute('translate')).toBe('no');
    for (const [name, value] of [
      ['autocapitalize', 'none'],
      ['autocorrect', 'off'],
      ['spellcheck', 'false'],
    ] as const)
      expect(await page.getByLabel('Username').getAttribute(name)).toBe(value);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=core');
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
    expect(links.map((text) => text.split('\n')[0])).toEqual([
      'Jobs',
      'My work',
      'Compliance',
      'Devices',
      'Commands',
      'Golden configs',
      'Automations',
      'Projects',
      'Integrations',
      'Admin',
    ]);
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  });

  test('draws the list of jobs with nine requests; what else the frame needs comes afterwards', async () => {
    const context = await newContext();
    // Its moments without work never come: nothing is requested but what the first page is drawn with.
    await context.addInitScript('window.requestIdleCallback = () => 0');
    const requests: string[] = [];
    context.on('request', (request) => {
      const { pathname } = new URL(request.url());
      requests.push(pathname.replace(/^\/(trpc|console\/assets)\//, '').replace(/-[\w-]{8}\./, '.'));
    });
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    await page.getByRole('heading', { name: 'No job ran in the last 7 days' }).waitFor();
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    expect(requests.filter((one) => one !== '/events').sort()).toEqual([
      '/console/jobs',
      'console.js',
      'index.css',
      'index.js',
      'inter-latin-wght-normal.woff2',
      'operationsManager.countJobs',
      'operationsManager.listJobs',
      'session.getSettings',
      'session.whoAmI',
    ]);
  });

  test.skipIf(!isLong)(
    'rejects a wrong password with the message of the server and keeps the name',
    async () => {
      const { username } = await createPerson(service, ['apiread']);
      const page = await (await newContext()).newPage();
      await page.goto('/console');
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Username').inputValue()).toBe(username);
    },
  );

  test.skipIf(!isLong)('opens areas and overlays by keyboard alone', async () => {
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The letter of an area alone, however soon after the page has begun to load, opens nothing.
    await page.evaluate(`document.body.dispatchEvent(Object.defineProperty(
      new KeyboardEvent('keydown', { key: 'd', bubbles: true }), 'timeStamp', { value: 100 }))`);
    await page.getByRole('searchbox', { name: 'Filter' }).waitFor();
    expect(page.url()).toMatch(/\/console\/jobs$/);
    await page.keyboard.press('/');
    await page.keyboard.type('edge');
    await page.waitForURL(/q=edge/);
    // Keys reach the palette that the shortcut opens, however soon they follow.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('jobs');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/jobs$/);
  });

  test.skipIf(!isLong)(
    'asks for the password over the page when the session has ended, and keeps typed text',
    async () => {
      const person = await createPerson(service, ['admin']);
      const page = await signIn(person, '/jobs');
      const filter = page.getByRole('searchbox', { name: 'Filter' });
      await filter.fill('half a na');
      const dialog = await loseSession(page, (options) => filter.fill('half a name', options));
      const typed = await filter.inputValue();
      expect(typed).toMatch(/^half a na/);
      // The account is known: the password can be typed at once.
      expect(await dialog.getByLabel('Username').inputValue()).toBe(person.username);
      await expect.poll(() => hasFocus(dialog.getByLabel('Password'))).toBe(true);
      await page.keyboard.type(person.password);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect(await filter.inputValue()).toBe(typed);
    },
  );

  test.skipIf(!isLong)('asks for the password over another dialog, with the focus in its field', async () => {
    const person = await createPerson(service, ['admin']);
    const page = await signIn(person, '/admin/groups');
    await page.getByRole('button', { name: 'Create group' }).click();
    const form = page.getByRole('dialog', { name: 'Create group' });
    await form.getByLabel('Name', { exact: true }).fill('Night shift');
    const create = form.getByRole('button', { name: 'Create group' });
    const dialog = await loseSession(page, (options) => create.click(options));
    await expect.poll(() => hasFocus(dialog.getByLabel('Password'))).toBe(true);
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Night shift');
    await create.click();
    await page.getByRole('link', { name: 'Night shift' }).waitFor();
  });

  test.skipIf(!isLong)('has no accessibility findings in either theme', async () => {
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('heading', { level: 2, name: 'No job ran in the last 7 days' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
