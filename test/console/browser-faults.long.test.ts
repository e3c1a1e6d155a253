import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const DAY_MS = 86_400_000;

/** Drops a file on something, as a hand does that misses the field. @returns whether the browser would have left the page for it */
const drop = (page: Page, selector: string, text: string) =>
  page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], 'dropped.json'));
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    return document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
  })()`);

/** Dispatches an event, which the code returns, in the field that has the focus. */
const inField = (page: Page, event: string) =>
  page.evaluate(`document.activeElement.dispatchEvent((() => { ${event} })())`);

describeInBrowser('a browser in which something is missing or wrong', async () => {
  const service = await openService();
  const { newContext, signIn, signInWith } = await openConsole(service);
  const admin = await service.as('admin');
  await admin.automationStudio.createWorkflow({
    automation: workflowOf('Count', { a1: task('stringLength', { str: 'abc' }, { length: null }) }),
  });

  test('says that it keeps no cookies, in place of asking for the password again and again', async () => {
    const { username, password } = await createPerson(service, ['admin']);
    const context = await newContext();
    await context.route('**/trpc/session.signIn*', async (route) => {
      const response = await route.fetch();
      await context.clearCookies();
      const { 'set-cookie': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    const page = await context.newPage();
    await page.goto('/console/jobs');
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Password').press('Enter');
    await page.getByRole('alert').getByText('does not keep the cookie of the session').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe(password);
  });

  test.each([
    ['a day behind', -DAY_MS],
    ['a day ahead', DAY_MS],
  ])('shows how long ago something was with a clock that is %s', async (_name, ahead) => {
    await admin.operationsManager.startJob({ workflow: 'Count' });
    const context = await newContext();
    await context.addInitScript(`{ const real = Date.now; Date.now = () => real() + ${ahead}; }`);
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    const job = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /Count/ }).first();
    await job.waitFor();
    expect(await job.locator('time').textContent()).toMatch(/^(now|\d+ (sec|min)\. ago)$/);
  });

  test('is live without locks and without a place to store anything', async () => {
    const context = await newContext();
    await context.addInitScript(`{
      const forbid = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
      Object.defineProperty(window, 'localStorage', { get: forbid });
      Object.defineProperty(window, 'sessionStorage', { get: forbid });
      if (navigator.locks) navigator.locks.request = async () => forbid();
    }`);
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  });

  test('reads its pages again by a timer where something lets no events through, and says so', async () => {
    const context = await newContext();
    await context.route(/\/events(\?|$)/, (route) => route.abort('blockedbyclient'));
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    const state = page.getByRole('status', { name: 'Connection' });
    await state.getByText('every 15 seconds').waitFor();
    expect(await state.getAttribute('title')).toContain('No events arrive');
    const before = await page.getByRole('table', { name: 'Jobs' }).getByRole('row').count();
    await admin.operationsManager.startJob({ workflow: 'Count' });
    await expect
      .poll(() => page.getByRole('table', { name: 'Jobs' }).getByRole('row').count(), { timeout: 25_000 })
      .toBeGreaterThan(before);
    // What let nothing through is gone.
    await context.unroute(/\/events(\?|$)/);
    await state.getByText('live').waitFor();
  });

  test('takes no page of a proxy or network for an answer: of events, of a list, of a file, or of a form', async () => {
    const context = await newContext();
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    const state = page.getByRole('status', { name: 'Connection' });
    await state.getByText('live').waitFor();
    const own = { contentType: 'text/html', body: '<h1>Sign in to the network</h1>' };
    await context.route('**/events*', (route) => route.fulfill(own));
    await page.reload();
    await state.getByText('every 15 seconds').waitFor();
    await context.route(/\/(trpc|lists)\//, (route) => route.fulfill(own));
    await page.getByRole('button', { name: 'CSV' }).click();
    const message = /answered in its place, or the sign-in page of a network/;
    await page.getByRole('region', { name: 'Messages' }).getByText(message).waitFor();
    await page.getByRole('button', { name: 'Start job' }).click();
    await page.getByRole('dialog').getByLabel('Workflow').fill('Count');
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    // The names of workflows could not be read either, which the field says.
    await page.getByRole('dialog').locator('.note').getByText(message).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Compliance' }).click();
    await page.getByRole('alert').getByText(message).first().waitFor();
    expect(await page.getByText('look first').count()).toBe(0);
    await context.unrouteAll();
    // One press for all parts of the page that failed.
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('says that an answer takes long, ends one that never comes, and asks again when it is told to', async () => {
    const context = await newContext();
    // Five minutes are two seconds, and ten seconds one, which leaves all shorter times as they are.
    await context.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms === 300_000 ? 2000 : ms);
      const later = window.setTimeout.bind(window);
      window.setTimeout = (work, ms, ...more) => later(work, ms === 10_000 ? 1000 : ms, ...more);
    }`);
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    let asked = 0;
    await page.route('**/trpc/automationStudio.*', () => {
      asked += 1;
    });
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('The service has not answered yet.').first().waitFor();
    await page.getByRole('alert').getByText('The service does not answer. Try again.').first().waitFor();
    expect(asked).toBe(1);
    await page.unroute('**/trpc/automationStudio.*');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('heading', { name: 'No project yet' }).waitFor();
  });

  test('offers to reload once the service has a newer console than the page', async () => {
    const context = await newContext();
    const page = await signIn(await createPerson(service, ['admin']), '/jobs', context);
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    await context.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: 'none' }));
    await context.route('**/console', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/console/assets/console-new.js">' }),
    );
    await page.getByRole('link', { name: 'Golden configs' }).click();
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('The console has a new version').waitFor();
    await context.unrouteAll();
    await messages.getByRole('button', { name: 'Reload' }).click();
    // At the page that the link leads to.
    await page.getByRole('heading', { level: 1, name: 'Golden configs' }).waitFor();
    expect(await messages.getByText('new version').count()).toBe(0);
  });

  test('stays on the page when a file is dropped on it, and reads one where a file is asked for', async () => {
    const page = await signInWith(['admin'], '/admin/adapters');
    await page.getByRole('table', { name: 'Adapters' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await drop(page, 'main', '{}')).toBe(false);
    await page.getByRole('button', { name: 'Import adapter' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('File').waitFor();
    expect(await drop(page, '[role="dialog"] h2', '{“name”: 1}')).toBe(false);
    await dialog.getByText('JSON needs " and plain spaces').waitFor();
  });

  test('asks before Back takes away what is typed into a dialog, and stays if it may not', async () => {
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('link', { name: 'Admin', exact: true }).click();
    await page
      .getByRole('navigation', { name: 'Administration' })
      .getByRole('link', { name: 'Groups' })
      .click();
    await page.getByRole('button', { name: 'Create group' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    const questions: string[] = [];
    let isLeft = false;
    page.on('dialog', (question) => {
      questions.push(question.message());
      return isLeft ? question.accept() : question.dismiss();
    });
    // Nothing is typed yet.
    await name.fill('Night shift');
    await page.evaluate('history.back()');
    await expect.poll(() => questions.length).toBe(1);
    expect(questions[0]).toContain('not saved');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/admin/groups');
    expect(await name.inputValue()).toBe('Night shift');
    isLeft = true;
    await page.evaluate('history.back()');
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
    // A form that was sent asks nothing.
    await page.evaluate('history.forward()');
    await page.getByRole('button', { name: 'Create group' }).click();
    await name.fill('Night shift');
    await name.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(questions).toHaveLength(2);
  });

  test('makes a value of each line and cell that is pasted, and none of an input method’s Enter', async () => {
    const page = await signInWith(['admin'], '/commands');
    await page.getByRole('button', { name: 'Select by properties' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tags').first().focus();
    await inField(
      page,
      `const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'core\\tedge\\r\\nrack 7\\r\\n');
      return new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });`,
    );
    await dialog.getByRole('button', { name: 'Remove core' }).waitFor();
    await dialog.getByRole('button', { name: 'Remove edge' }).waitFor();
    await dialog.getByRole('button', { name: 'Remove rack 7' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search pages and documents' });
    await field.fill('dev');
    const enter = (isComposing: boolean) =>
      `return new KeyboardEvent('keydown', { key: 'Enter', isComposing: ${isComposing}, bubbles: true });`;
    await inField(page, enter(true));
    expect(await field.isVisible()).toBe(true);
    expect(new URL(page.url()).pathname).toBe('/console/commands');
    await inField(page, enter(false));
    await page.waitForURL('**/console/devices');
  });
});
