import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openOidcServer } from '../../helpers/identity/oidc-server.ts';
import { BASE, openDirectory, ROOT, slapdMissing } from '../../helpers/identity/slapd.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

/** A directory with one user in one group. */
const ENTRIES = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`,
  `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups\n`,
  `dn: uid=ada,ou=people,${BASE}\nobjectClass: inetOrgPerson\nuid: ada\ncn: ada\nsn: ada\nuserPassword: pass of ada\n`,
  `dn: cn=network-ops,ou=groups,${BASE}\nobjectClass: groupOfNames\ncn: network-ops\nmember: uid=ada,ou=people,${BASE}\n`,
].join('\n');

/** The code of an authenticator, some steps of half a minute from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

describeInBrowser('signing in to the console', async () => {
  const service = await openService();
  const directory = await openOidcServer();
  const { signIn, signInWith, newContext, faults } = await openConsole(service);

  test('describes a provider, tries it, and signs its user in at the page that was opened', async () => {
    const page = await signInWith(['admin'], '/admin/sign-in');
    await page.getByRole('heading', { name: 'Users sign in only with accounts of this platform' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create provider' });
    await dialog.getByLabel('Name', { exact: true }).fill('Corp');
    await dialog.getByLabel('Text on the sign-in page').fill('Corporate account');
    await dialog.getByLabel('Issuer').fill(directory.issuer);
    await dialog.getByLabel('Client id').fill('switchyard');
    await dialog.getByLabel('Client secret').fill('lantern-quarry-46');
    await dialog.getByRole('button', { name: 'Add group' }).click();
    const mapped = dialog.getByRole('group', { name: 'Group 1' });
    await mapped.getByLabel('Group of the directory').fill('network-ops');
    await mapped.getByRole('checkbox', { name: 'apiread', exact: true }).check();
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create provider' }).click();
    await dialog.getByRole('alert').getByText('provider.name', { exact: true }).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('corp');
    await dialog.getByRole('button', { name: 'Create provider' }).click();
    await page.getByRole('heading', { level: 1, name: 'corp' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByText(`${service.url}/sign_in/oidc/${id}/callback`).waitFor();
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByRole('region', { name: 'Summary' }).getByText('usable').waitFor({ state: 'detached' });
    directory.start(service.url, id);
    directory.users.set('u-1', { name: 'ada', groups: ['network-ops'] });
    directory.users.set('u-2', { name: 'bob', groups: ['visitors'] });
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByRole('region', { name: 'Summary' }).getByText('usable').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(await page.content()).not.toContain('lantern-quarry-46');

    directory.user.current = 'u-1';
    const visitor = await (await newContext()).newPage();
    await visitor.goto('/console/devices?q=edge');
    const link = visitor.getByRole('link', { name: 'Sign in with Corporate account' });
    await link.waitFor();
    expect(await axeInBothThemes(visitor)).toEqual([]);
    await link.focus();
    await visitor.keyboard.press('Enter');
    await visitor.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    expect(new URL(visitor.url()).searchParams.get('q')).toBe('edge');

    directory.user.current = 'u-2';
    const stranger = await (await newContext()).newPage();
    await stranger.goto('/console');
    await stranger.getByRole('link', { name: 'Sign in with Corporate account' }).click();
    await stranger
      .getByRole('alert')
      .getByText(/The sign-in with corp failed \(NO_ACCESS\)/)
      .waitFor();
    expect(await axeInBothThemes(stranger)).toEqual([]);

    const oidc = { issuer: directory.issuer, clientId: 'switchyard', clientSecret: 'not-that-of-the-client' };
    await service.send('admin', 'PATCH', `/sign_in/providers/${id}`, { updates: { oidc } });
    await stranger.getByRole('link', { name: 'Sign in with Corporate account' }).click();
    await stranger
      .getByRole('alert')
      .getByText(/\(CLIENT_REFUSED\). The provider does not accept the credentials of this platform/)
      .waitFor();
    // The pages of the provider are the only ones of another origin.
    expect(faults.filter((fault) => !fault.startsWith(`foreign request: ${directory.issuer}`))).toEqual([]);
    faults.length = 0;
  });

  test.skipIf(slapdMissing !== null)(
    `describes a directory, and signs its user in with the form (${slapdMissing ?? 'slapd'})`,
    async () => {
      const ldap = await openDirectory(ENTRIES);
      const page = await signInWith(['admin'], '/admin/sign-in');
      await page.getByRole('button', { name: 'Create provider' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create provider' });
      await dialog.getByLabel('Type').selectOption('ldap');
      await dialog.getByLabel('Name', { exact: true }).fill('quay-directory');
      await dialog.getByLabel('Address').fill(ldap.ldaps);
      await dialog.getByLabel('Bind DN').fill(ROOT.dn);
      await dialog.getByLabel('Bind password').fill('wrong');
      await dialog.getByLabel('Base DN of users').fill(`ou=people,${BASE}`);
      await dialog.getByLabel('Base DN of groups').fill(`ou=groups,${BASE}`);
      await dialog.getByLabel('Trusted certificates').fill(ldap.ca);
      await dialog.getByRole('button', { name: 'Add group' }).click();
      await dialog.getByLabel('Group of the directory').fill('network-ops');
      await dialog
        .getByRole('group', { name: 'Group 1' })
        .getByRole('checkbox', { name: 'apiread', exact: true })
        .check();
      expect(await axeInBothThemes(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Create provider' }).click();
      await page.getByRole('heading', { level: 1, name: 'quay-directory' }).waitFor();
      const state = page.getByRole('region', { name: 'Summary' });
      await page.getByRole('button', { name: 'Test connection' }).click();
      await state.getByText('BIND_REFUSED').waitFor();
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByLabel('Bind password').fill(ROOT.password);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Test connection' }).click();
      await state.getByText('usable').waitFor();

      const visitor = await (await newContext()).newPage();
      await visitor.goto('/console/devices');
      await visitor.getByText('Accounts of quay-directory sign in with the form as well.').waitFor();
      await visitor.getByLabel('Username').fill('ada');
      await visitor.getByLabel('Password').fill('pass of ada');
      await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visitor.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    },
  );

  test('sets up one-time passwords, asks for a code at the sign-in, and accepts a recovery code', async () => {
    const person = await createPerson(service, ['apiread']);
    const page = await signIn(person, '/account');
    const section = page.getByRole('region', { name: 'Second factor' });
    await section.getByText('signing in needs only the password').waitFor();
    await section.getByRole('button', { name: 'Set up one-time passwords' }).click();
    await page.getByLabel('Your password').fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Your password').fill(person.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    const connect = page.getByRole('dialog', { name: 'Connect your authenticator' });
    await connect.getByRole('img', { name: 'Code for the authenticator' }).waitFor();
    const secret = (await connect.getByTestId('authenticator-key').textContent()) ?? '';
    expect(await axeInBothThemes(page)).toEqual([]);
    await connect.getByLabel('Code', { exact: true }).fill('000000');
    await connect.getByRole('button', { name: 'Confirm' }).click();
    await connect.getByRole('alert').waitFor();
    await connect.getByLabel('Code', { exact: true }).fill(codeOf(secret));
    await connect.getByRole('button', { name: 'Confirm' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.waitFor();
    const [recovery = ''] = await codes.getByRole('listitem').allTextContents();
    expect(await codes.getByRole('listitem').count()).toBe(10);
    expect(await axeInBothThemes(page)).toEqual([]);
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await section.getByText('signing in needs a second factor').waitFor();
    expect(await page.content()).not.toContain(secret);

    const other = await (await newContext()).newPage();
    await other.goto('/console/jobs');
    await other.getByLabel('Username').fill(person.username);
    await other.getByLabel('Password').fill(person.password);
    await other.keyboard.press('Enter');
    await other.getByLabel('Code').waitFor();
    expect(await axeInBothThemes(other)).toEqual([]);
    await other.getByLabel('Code').fill('000000');
    await other.keyboard.press('Enter');
    await other.getByRole('alert').waitFor();
    await other.getByLabel('Code').fill(recovery);
    await other.keyboard.press('Enter');
    await other.getByRole('navigation', { name: 'Main' }).waitFor();
    await other.goto('/console/account');
    await other.getByRole('region', { name: 'Second factor' }).getByText('9', { exact: true }).waitFor();
    await other.getByRole('button', { name: 'Remove one-time passwords' }).click();
    const remove = other.getByRole('dialog', { name: 'Remove one-time passwords' });
    await remove.getByLabel('Your password').fill(person.password);
    // The current code was used above; one of the next step is accepted as well.
    await remove.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await remove.getByRole('button', { name: 'Remove one-time passwords' }).click();
    await other.getByText('signing in needs only the password').waitFor();
  });

  test('resets the second factor of an account that lost it', async () => {
    const person = await createPerson(service, ['apiread']);
    const page = await signInWith(['admin'], `/admin/accounts/${person.id}`);
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset second factor' });
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Reset second factor' }).click();
    // This account has none.
    await dialog
      .getByRole('alert')
      .getByText(/Second factor of the account/)
      .waitFor();
  });
});
