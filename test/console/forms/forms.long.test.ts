import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { appRouter } from '#routers/index.ts';
import { describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { signInOn } from '../../helpers/console/chromium.ts';
import { openHarbour } from '../../helpers/console/harbour.ts';
import { openScreen } from '../../helpers/console/screens.ts';
import { createPerson } from '../../helpers/people.ts';
import { formsOfAdministration } from './administration.ts';
import { formsOfCompliance } from './compliance.ts';
import { formsOfDevices } from './devices.ts';
import type { Form } from './form.ts';
import { formsOfWork } from './work.ts';

/** Elements that hold a form, and controls into which text is typed. */
const FORM = /<(FormDialog|form|Dialog|CodeEditor)\b/g;
const TEXT =
  /<(Text\w*|JsonField|SchemaForm|SelectionField|AccountField|\w+Fields|CodeEditor|input|textarea)\b/;
/** Forms that are not walked below, and why. */
const OTHERS: Readonly<Record<string, number>> = {
  // Sign-in itself.
  'screens/sign-in/sign-in.tsx': 1,
  // A password, a code or a key, which is asked for anew by each session that sets up a second factor.
  'screens/account/confirm-code.tsx': 1,
  'screens/account/second-factor.tsx': 2,
  'screens/account/security-keys.tsx': 3,
  // It changes the password with which the person of this file signs in again.
  'screens/account/account-page.tsx': 1,
  // Choices only: no text is typed into them.
  'screens/admin/access/membership.tsx': 1,
  // What is typed stands in the address.
  'screens/backups/find-in-backups.tsx': 1,
  'screens/commands/target-picker.tsx': 1,
  // A search.
  'app/shell/command-palette.tsx': 1,
  // Their texts are tried by the service, which stores none of them.
  'screens/projects/try-transformation.tsx': 1,
  'screens/commands/analytic/try-analytic.tsx': 1,
  // It only chooses, for the form around it, which is walked.
  'ui/selection/selection-dialog.tsx': 1,
};

/** What is filled in and sent without an element of a form. */
const WITHOUT_ELEMENT: Readonly<Record<string, number>> = { 'screens/commands/plan-form.tsx': 1 };

/** Returns how many forms with text each source of the console has. */
async function formsOfSources(): Promise<Map<string, number>> {
  const found = new Map<string, number>(Object.entries(WITHOUT_ELEMENT));
  for (const name of await readdir('web/src', { recursive: true })) {
    if (!name.endsWith('.tsx') || name === 'ui/overlays/dialog.tsx' || name.startsWith('ui/code')) continue;
    const source = await readFile(join('web/src', name), 'utf8');
    const forms = [...source.matchAll(FORM)].filter(({ index, 1: element }) => {
      if (element === 'CodeEditor') return true;
      const end = source.indexOf(`</${element}>`, index);
      // Its name is part of what is searched otherwise.
      return TEXT.test(source.slice(index + 1, end));
    });
    if (forms.length > 0) found.set(name, forms.length);
  }
  return found;
}

/** Runs in a page. Returns everything that the controls of its dialog hold, or those of the page without one, in their order. */
const HELD = `[...(document.querySelector('[role="dialog"]') ?? document.querySelector('main'))
  .querySelectorAll('input, textarea, select, .cm-content')].map((one) =>
  one.type === 'checkbox' ? one.checked : one.type === 'file' ? null : (one.value ?? one.innerText))`;

describeInBrowser('what is typed into a form', async () => {
  const harbour = await openHarbour();
  const { service } = harbour;
  const { signIn } = await openConsole(service);
  const person = await createPerson(service, ['admin']);
  // One page for all forms: the console is not loaded anew for each, unless the one before failed.
  const page = await signIn(person, '/account');
  let isUsable = true;
  const FORMS: readonly Form[] = [
    formsOfAdministration,
    formsOfDevices,
    formsOfCompliance,
    formsOfWork,
  ].flatMap((formsOf) => formsOf({ ...harbour, person }));

  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>;
  const procedureOf = (url: string) => new URL(url).pathname.slice('/trpc/'.length);
  const isMutation = (url: string) => procedures[procedureOf(url)]?._def.type === 'mutation';
  const isPreview = (url: string) => /preview/i.test(procedureOf(url));
  const REQUESTS = '**/trpc/*';
  const cut = (route: Route) => route.abort('connectionreset');
  const conflict = (route: Route) => {
    const url = route.request().url();
    if (!isMutation(url)) return route.continue();
    const name = procedureOf(url);
    const data = { code: 'CONFLICT', httpStatus: 409, path: name, requestId: 'a-conflict' };
    return route.fulfill({
      status: 409,
      json: { error: { message: 'It was changed meanwhile', code: -32009, data } },
    });
  };
  const control = async (page: Page, name: string | RegExp) => {
    const named = { name, exact: true };
    const found = page
      .getByRole('button', named)
      .or(page.getByRole('menuitem', named))
      .or(page.getByRole('main').getByRole('link', named));
    return found.last();
  };

  test('is tested for every form: a new form must be added to the table of this test', async () => {
    const walked = new Map<string, number>(Object.entries(OTHERS));
    for (const { file, isAgain } of FORMS) if (!isAgain) walked.set(file, (walked.get(file) ?? 0) + 1);
    const listed = Object.fromEntries([...walked].sort());
    const found = Object.fromEntries([...(await formsOfSources())].sort());
    expect(listed).toEqual(found);
  });

  test.each(FORMS.map((form, at) => ({ ...form, at })))(
    'stays in form $at, $file, when the connection is lost, after a conflict and while its user signs in again, and is sent afterwards',
    async ({
      path,
      open = [],
      text,
      choose = {},
      tick = [],
      prepare,
      unfold,
      meanwhile,
      send,
      status = 200,
    }) => {
      if (isUsable) await openScreen(page, path);
      else {
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await signInOn(page, person, path);
      }
      isUsable = false;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await prepare?.(page);
      for (const name of open) await (await control(page, name)).click();
      if (unfold) await page.locator('summary').filter({ hasText: unfold }).click();
      for (const [label, option] of Object.entries(choose))
        await page.getByLabel(label, { exact: true }).last().selectOption(option);
      for (const name of tick) await page.getByRole('checkbox', { name, exact: true }).check();
      for (const [label, typed] of Object.entries(text))
        await page.getByLabel(label, { exact: true }).last().fill(typed);
      const dialogs = page.getByRole('dialog');
      const form = (await dialogs.count()) > 0 ? dialogs.last() : page;
      const button = form.getByRole('button', { name: send, exact: true }).last();
      await expect.poll(() => button.isEnabled()).toBe(true);
      const typed = await page.evaluate<unknown[]>(HELD);
      // What the sending shows below the form comes after it.
      const held = () =>
        expect.poll(async () => (await page.evaluate<unknown[]>(HELD)).slice(0, typed.length)).toEqual(typed);

      // What went wrong is drawn with the end of the sending, above the button in some forms: a press meanwhile would end beside it.
      const isAnswered = () =>
        page.locator('button[aria-busy="true"]').first().waitFor({ state: 'detached' });

      // Only for as long as requests fail: a page whose requests a test may change loads all of its code anew.
      await page.route(REQUESTS, cut);
      // A preview of the form, which is read in the background, fails as well: the form would then be sent before its own request failed.
      const lost = page.waitForEvent('requestfailed', (request) => !isPreview(request.url()));
      await button.click();
      await lost;
      await isAnswered();
      await expect.poll(() => button.isEnabled()).toBe(true);
      await held();

      await page.unroute(REQUESTS, cut);
      await page.route(REQUESTS, conflict);
      const refused = page.waitForResponse((response) => response.status() === 409);
      await button.click();
      await refused;
      await page.unroute(REQUESTS, conflict);
      await isAnswered();
      const keep = page.getByRole('button', { name: /^Keep mine/ });
      if (path.startsWith('/trees/') && (await keep.isVisible())) await keep.click();
      await expect.poll(() => button.isEnabled()).toBe(true);

      await meanwhile?.();
      await page.context().clearCookies();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      // What the page reads in the background may be the first to find that out: the dialog then covers the button.
      await button.click({ timeout: 5000 }).catch(async (error) => {
        if (!(await dialog.isVisible())) throw error;
      });
      await dialog.getByLabel('Username').fill(person.username);
      await dialog.getByLabel('Password').fill(person.password);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => button.isEnabled()).toBe(true);
      await held();

      const sent = page.waitForResponse(
        (response) => isMutation(response.url()) && response.request().method() === 'POST',
      );
      await button.click();
      const response = await sent;
      expect(response.status(), await response.text()).toBe(status);
      // Some forms open a page when they have been sent, which would come over the next one.
      await isAnswered();
      isUsable = true;
    },
  );
});
