import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { ask, send, signInAgain, typedIn, typeInto, unfold } from '../helpers/console/forms.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** Forms in dialogs: the page and the button that opens them. */
const DIALOGS: readonly (readonly [path: string, button: string])[] = [
  ['/jobs', 'Start job'],
  ['/trees', 'Create golden config'],
  ['/device-groups', 'Create group'],
  ['/projects', 'Create project'],
  ['/automations', 'New automation'],
  ['/integrations', 'Add integration'],
  ['/inventory/sources', 'Create source'],
  ['/backups', 'Back up devices'],
  ['/backups?tab=schedules', 'Create schedule'],
  ['/campaigns', 'Create campaign'],
  ['/commands', 'Select by properties'],
  ['/admin/accounts', 'Create account'],
  ['/admin/groups', 'Create group'],
  ['/admin/roles', 'Create role'],
  ['/admin/service-accounts', 'Create service account'],
  ['/admin/sign-in', 'Create provider'],
  ['/admin/secrets', 'Create provider'],
  ['/admin/git', 'Create remote'],
  ['/admin/notifications', 'Create rule'],
  ['/admin/notifications?tab=channels', 'Create channel'],
  ['/admin/outgoing', 'Add target'],
  ['/account', 'Change password'],
  ['/account', 'Create token'],
];
/** Forms that are pages. */
const PAGES = ['/inventory/import', '/commands', '/admin/retention', '/backups?tab=find'];
/** Forms of an object whose name is taken: the page, the button, and the field of the name. */
const TAKEN: readonly (readonly [path: string, button: string, field: string, name: string])[] = [
  ['/admin/accounts', 'Create account', 'Username', 'admin'],
  ['/admin/groups', 'Create group', 'Name', 'api_clients'],
  ['/trees', 'Create golden config', 'Name', 'Taken'],
];

describeInBrowser('forms of the console', async () => {
  const service = await openService();
  const { configurationManager } = await service.as('admin');
  await configurationManager.createTree({ name: 'Taken', deviceType: 'cisco-ios' });
  const { newContext, signIn } = await openConsole(service);
  const person = await createPerson(service, ['admin']);
  const context = await newContext();
  const page = await signIn(person, '/account', context);
  page.setDefaultTimeout(15_000);

  const open = async (path: string, button?: string) => {
    await page.goto(`/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
    if (button === undefined) return page.locator('main');
    await page.locator('main').getByRole('button', { name: button, exact: true }).first().click();
    const form = page.getByRole('dialog').first();
    await form.waitFor();
    await unfold(form);
    return form;
  };

  test.each([...DIALOGS, ...PAGES.map((path) => [path, undefined] as const)])(
    '%s, %s: a lost connection and the end of the session lose nothing that was typed',
    async (path, button) => {
      const form = await open(path, button);
      const typed = await typeInto(form);
      expect(typed.length).toBeGreaterThan(0);

      await context.setOffline(true);
      if (await send(form)) await page.getByRole('alert').or(page.locator('.toast')).first().waitFor();
      else await ask(form);
      expect(await typedIn(form)).toEqual(typed);
      await context.setOffline(false);
      // Behind an open dialog it has no role.
      await page.locator('.connection').getByText('live').waitFor();

      await context.clearCookies();
      if (!(await send(form))) await ask(form);
      await signInAgain(page, person);
      expect(await typedIn(form)).toEqual(typed);
    },
  );

  test.each(TAKEN)('%s, %s: a name that is taken keeps the form', async (path, button, field, name) => {
    const form = await open(path, button);
    await typeInto(form);
    await form.getByLabel(field, { exact: true }).fill(name);
    const typed = await typedIn(form);
    expect(await send(form)).toBe(true);
    await form.getByRole('alert').waitFor();
    expect(await typedIn(form)).toEqual(typed);
  });
});
