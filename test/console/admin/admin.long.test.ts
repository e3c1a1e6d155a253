import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { basic, createPerson, roleId } from '../../helpers/people.ts';
import { unique } from '../../helpers/procedures.ts';
import { openService } from '../../helpers/service.ts';

/** The pages of the administration, each with what it shows when it has loaded. */
const PAGES: [string, string][] = [
  ['Health', 'table'],
  ['Accounts', 'table'],
  ['Groups', 'heading'],
  ['Roles', 'table'],
  ['Service accounts', 'heading'],
  ['Tokens', 'heading'],
  ['Adapters', 'table'],
  ['Applications', 'table'],
  ['Profiles', 'table'],
  ['Workers', 'region'],
  ['Sign-in', 'heading'],
  ['Access by default', 'region'],
  ['Secrets', 'heading'],
  ['Git', 'heading'],
  ['Notifications', 'heading'],
  ['Retention', 'heading'],
  ['Outgoing targets', 'heading'],
  ['Audit trail', 'table'],
];

describeInBrowser('the administration of the console', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);

  test('opens every page from its navigation', async () => {
    const page = await signInWith(['admin'], '/admin');
    const tabs = page.getByRole('navigation', { name: 'Administration' });
    for (const [name, role] of PAGES) {
      await tabs.getByRole('link', { name, exact: true }).click();
      await tabs.locator('[aria-current=page]', { hasText: name }).waitFor();
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      if (role === 'table') await page.getByRole('table').first().waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
      expect(await page.getByRole('alert').count(), name).toBe(0);
    }
  });

  test('creates an account, gives it a role, and deactivates it', async () => {
    const page = await signInWith(['admin'], '/admin/accounts');
    await page.getByRole('button', { name: 'Create account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create account' });
    await dialog.getByLabel('Username of the account').fill('grace');
    await dialog.getByLabel('Password of the account').fill('short');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    // What was typed stays when the service refuses it.
    await dialog.getByRole('alert').waitFor();
    // Each fault is said once.
    expect(await dialog.getByRole('alert').getByText('must have at least 12 characters').count()).toBe(1);
    expect(await dialog.getByLabel('Username of the account').inputValue()).toBe('grace');
    await dialog.getByLabel('Password of the account').fill('copper-lantern-over-water-42');
    await dialog.getByRole('checkbox', { name: 'apiread', exact: true }).check();
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Accounts' }).getByRole('link', { name: 'grace' }).click();
    await page.getByRole('region', { name: 'Summary' }).getByText('apiread').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('region', { name: 'Summary' }).getByText('deactivated').waitFor();
  });

  test.each(['accounts', 'groups'] as const)(
    'roles that somebody else has changed meanwhile are not replaced unseen: %s',
    async (kind) => {
      const { authorization } = await service.as('admin');
      const name = unique('shift');
      const { data: group } = await authorization.createGroup({ group: { name, description: '' } });
      const person = await createPerson(service, [], { username: name });
      const page = await signInWith(['admin'], `/admin/${kind}/${kind === 'groups' ? group._id : person.id}`);
      await page.getByRole('button', { name: 'Roles and groups' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('checkbox', { name: 'apiread', exact: true }).check();
      const updates = { assignedRoles: [{ roleId: await roleId(service, 'apiwrite') }] };
      if (kind === 'groups') await authorization.updateGroup({ groupId: group._id, updates });
      else await authorization.updateAccount({ accountId: person.id, updates });
      const save = dialog.getByRole('button', { name: 'Save' });
      await save.click();
      await dialog
        .getByRole('alert')
        .getByText(/changed/)
        .waitFor();
      // Nothing that was chosen is lost, and a second press saves it knowingly.
      expect(await dialog.getByRole('checkbox', { name: 'apiread', exact: true }).isChecked()).toBe(true);
      await save.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'Summary' }).getByText('apiread', { exact: true }).waitFor();
    },
  );

  test('shows the secret of a service account once', async () => {
    const page = await signInWith(['admin'], '/admin/service-accounts');
    await page.getByRole('button', { name: 'Create service account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create service account' });
    await dialog.getByLabel('Name').fill('collector');
    await dialog.getByRole('button', { name: 'Create service account' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret of the service account' });
    const text = (await secret.locator('code').nth(1).textContent()) ?? '';
    expect(text.length).toBeGreaterThan(20);
    await secret.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('table', { name: 'Service accounts' }).getByText('collector').waitFor();
    expect(await page.getByText(text).count()).toBe(0);
  });

  test('makes a personal token on the page of one’s own account', async () => {
    const page = await signInWith(['apiread'], '/account');
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('table', { name: 'Personal tokens' }).getByText('laptop').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('lists what was done with a token, from the list of tokens', async () => {
    const person = await createPerson(service, ['admin']);
    const made = await service.send(
      null,
      'POST',
      '/user/tokens',
      { name: 'leaked', expiresInDays: 1 },
      {
        headers: basic(person.username, person.password),
      },
    );
    const headers = { Authorization: `Bearer ${(made.json as { token: string }).token}` };
    await service.send(null, 'PATCH', '/user/settings', { preferences: {} }, { headers });
    const page = await signIn(person, '/admin/tokens');
    const row = page.getByRole('row').filter({ hasText: 'leaked' });
    await row.getByRole('link', { name: 'Audit trail' }).click();
    const trail = page.getByRole('table', { name: 'Audit trail' });
    await trail.getByRole('link', { name: 'personal token leaked' }).waitFor();
    await trail.getByText('session.savePreferences').waitFor();
    expect(await trail.getByText('session.createToken').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });

  test('boxes of a role that are ticked one right after the other are all stored', async () => {
    const { authorization } = await service.as('admin');
    const { data: role } = await authorization.createRole({
      role: { name: 'Night watch', description: '', allowedMethods: [], allowedViews: [] },
    });
    const page = await signInWith(['admin'], '/admin/roles?q=adapters.');
    // The list that the page has is older than the first change when the second box is ticked.
    await page.route('**/trpc/authorization.listRoles', async (route) => {
      await sleep(500);
      await route.continue();
    });
    const boxes = page.getByRole('checkbox', { name: /^Night watch may Adapters\./ });
    for (const at of [0, 1, 2]) await boxes.nth(at).click();
    for (const at of [0, 1, 2]) expect(await boxes.nth(at).isChecked()).toBe(true);
    await expect
      .poll(async () => (await authorization.getRole({ roleId: role._id })).allowedMethods?.length)
      .toBe(3);
    await page.getByRole('button', { name: /^Delete role/ }).click();
    await page.getByRole('menuitem', { name: 'Night watch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click();
    await boxes.first().waitFor({ state: 'detached' });
  });

  test('names the missing role to an account that may not administer', async () => {
    const page = await signInWith(['other'], '/admin/accounts');
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    await page.getByText(/Needs one of the roles: .*admin/).waitFor();
  });
});
