import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openHarbour } from '../../helpers/console/harbour.ts';
import { act, send } from '../../helpers/console/rows.ts';

describeInBrowser('documents of administrators, created, changed and removed', async () => {
  const { admin, service } = await openHarbour();
  const { signInWith } = await openConsole(service);

  test('a command policy is created by keyboard, denies a command, is changed and deleted', async () => {
    const page = await signInWith(['admin'], '/admin/command-policies');
    await page.getByRole('heading', { name: 'There is no command policy yet' }).waitFor();
    await page.getByRole('button', { name: 'Create policy' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement?.tagName`)).toBe('INPUT');
    await page.keyboard.type('No reload');
    await dialog.getByLabel('Denied commands').focus();
    await page.keyboard.type('reload');
    await dialog.getByRole('button', { name: 'Create policy' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('table', { name: 'Command policies' })
      .getByText('reload', { exact: true })
      .waitFor();
    await expect(
      admin.automationgateway.sendCommand({
        cliSendCommandParameters: {
          host: 'quay-1',
          commands: ['reload'],
          connection_options: { device_type: 'cisco_ios' },
        },
      }),
    ).rejects.toThrow(/No reload/);

    await act(page, 'No reload', 'Change');
    await dialog.getByLabel('Device types').fill('no_such_type');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('policy.device_types.0', { exact: true }).waitFor();
    await dialog.getByLabel('Device types').fill('cisco_ios');
    await dialog.getByLabel('Allowed commands', { exact: true }).fill('show\nping');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save');
    expect(await admin.automationgateway.getPolicy({ name: 'No reload' })).toMatchObject({
      device_types: ['cisco_ios'],
      allow: ['show', 'ping'],
      deny: ['reload'],
    });
    await act(page, 'No reload', 'Delete');
    await send(page, 'Delete policy');
    await page.getByRole('heading', { name: 'There is no command policy yet' }).waitFor();
  });

  test('an adapter is imported and its configuration changed, which keeps its secret; an application restarts', async () => {
    const page = await signInWith(['admin'], '/admin/adapters');
    await page.getByRole('button', { name: 'Import adapter' }).click();
    const dialog = page.getByRole('dialog');
    const tower = {
      name: 'tower',
      type: 'Adapter',
      model: '@switchyard/adapter-orchestrator',
      properties: {
        id: 'tower',
        type: 'Orchestrator',
        properties: { host: '127.0.0.1', authentication: { username: 'a', password: 'a-lamp-in-a-tower' } },
      },
    };
    await dialog.getByLabel('Or its text').fill(JSON.stringify(tower));
    await send(page, 'Import adapter');
    await act(page, 'tower', 'Change');
    const document = dialog.getByLabel('Document as JSON');
    const text = await document.inputValue();
    expect(text).not.toContain('a-lamp-in-a-tower');
    // A colleague changes it meanwhile.
    await admin.adapters.updateProperties({ name: 'tower', properties: { maxConcurrent: 7 } });
    await document.fill(text.replace('"type": "Adapter"', '"type": "Adapter", "isEncrypted": true'));
    const typed = await document.inputValue();
    await dialog.getByRole('button', { name: 'Save configuration' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    expect(await document.inputValue()).toBe(typed);
    expect((await admin.adapters.getAdapter({ name: 'tower' })).data.properties.properties).toMatchObject({
      maxConcurrent: 7,
    });
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Save configuration');
    expect((await admin.adapters.getAdapter({ name: 'tower' })).data).toMatchObject({ isEncrypted: true });

    await page.goto('/console/admin/applications');
    await page
      .getByRole('button', { name: /^Restart / })
      .first()
      .click();
    await page
      .getByRole('region', { name: 'Messages' })
      .getByText(/restart/i)
      .first()
      .waitFor();
  });

  test('a profile is created, changed over the change of somebody else, copied, and deleted unless it is active', async () => {
    const page = await signInWith(['admin'], '/admin/profiles');
    await page.getByRole('button', { name: 'Create profile' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('summer');
    await dialog.getByLabel('Description').fill('Long days');
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Create profile');
    await page.getByRole('link', { name: 'summer' }).click();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const document = dialog.getByLabel('Document as JSON');
    const text = JSON.parse(await document.inputValue()) as { id: string };
    expect(text).toMatchObject({ id: 'summer', description: 'Long days' });
    await admin.profiles.updateProfile({ id: 'summer', properties: { description: 'Warm days' } });
    await document.fill(JSON.stringify({ ...text, description: 'Short nights' }));
    await dialog.getByRole('button', { name: 'Save profile' }).click();
    await dialog.getByRole('alert').getByText('was changed by another request').waitFor();
    await send(page, 'Save profile');
    await page.getByText('Short nights').first().waitFor();
    await page.getByRole('link', { name: 'Profiles', exact: true }).first().click();
    await act(page, 'summer', 'Copy');
    await dialog.getByLabel('Name', { exact: true }).fill('autumn');
    await send(page, 'Copy profile');
    expect((await admin.profiles.getProfile({ id: 'autumn' })).profile.description).toBe('Short nights');
    await page.getByRole('link', { name: 'autumn' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    expect(await axeInBothThemes(page)).toEqual([]);
    await send(page, 'Delete profile');
    await page.getByRole('table', { name: 'Profiles' }).waitFor();
    await page.getByRole('link', { name: 'autumn' }).waitFor({ state: 'detached' });
    const { results } = await admin.profiles.getProfiles({});
    const active = results.find(({ metadata }) => metadata.isActive)?.profile.id ?? '';
    await page.goto(`/console/admin/profiles/${active}`);
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  });
});
