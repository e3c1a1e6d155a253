import { pino } from 'pino';
import { expect, test } from 'vitest';
import { workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { press } from '../../helpers/console/keys.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openReceiver } from '../../helpers/notifications/receivers.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('notifications, secrets, retention and access in the console', async () => {
  process.env.SWITCHYARD_SECRET_CONSOLE = 'a-value-that-nobody-sees';
  const service = await openService({ DATA_DIR: await makeFolder() }, { works: true });
  const receiver = await openReceiver((_, { text }) => ({ status: text.includes('"test"') ? 204 : 500 }));
  const { signInWith } = await openConsole(service);

  test('creates a channel, tests it, changes it, and sends events to it by a rule', async () => {
    const page = await signInWith(['admin'], '/admin/notifications?tab=channels');
    await page.getByRole('heading', { name: 'There is no channel yet' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create channel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create channel' });
    await dialog.getByLabel('Name', { exact: true }).fill('Operations');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Key of the signature').fill('short');
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await dialog.getByRole('alert').getByText('channel.secret', { exact: true }).waitFor();
    await dialog.getByLabel('Key of the signature').fill('a-key-of-at-least-16-characters');
    await dialog.getByText('Retries and certificates').click();
    await dialog.getByLabel('Attempts').fill('1');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions of Operations' }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    await page
      .getByRole('region', { name: 'Messages' })
      .getByText(/Operations: /)
      .waitFor();
    expect(receiver.received.length).toBe(1);

    await page.getByRole('button', { name: 'Actions of Operations' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    const change = page.getByRole('dialog', { name: 'Change channel' });
    expect(await change.getByLabel('Key of the signature').inputValue()).toBe('');
    await change.getByLabel('Name', { exact: true }).fill('Operations centre');
    await change.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('table', { name: 'Channels' }).getByText('Operations centre').waitFor();
    expect(await page.content()).not.toContain('a-key-of-at-least-16-characters');

    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('button', { name: 'Create rule' }).click();
    const rule = page.getByRole('dialog', { name: 'Create rule' });
    await rule.getByLabel('Name', { exact: true }).fill('Failures');
    expect(await rule.getByRole('button', { name: 'Create rule' }).isDisabled()).toBe(true);
    await rule.getByRole('checkbox', { name: 'all events' }).check();
    await rule.getByRole('checkbox', { name: 'Operations centre' }).check();
    expect(await axeInBothThemes(page)).toEqual([]);
    await rule.getByRole('button', { name: 'Create rule' }).click();
    await page
      .getByRole('table', { name: 'Rules' })
      .getByRole('row', { name: /Failures enabled all events/ })
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });

  test('says that the test of a channel failed, and why', async () => {
    const { notifications } = await service.as('admin');
    await notifications.createChannel({
      channel: {
        name: 'Nowhere',
        type: 'webhook',
        url: 'http://127.0.0.1:9',
        secret: 'a-key-of-the-watch-42',
      },
    });
    const page = await signInWith(['admin'], '/admin/notifications?tab=channels');
    await page.getByRole('button', { name: 'Actions of Nowhere' }).waitFor();
    await press(page, 'Actions of Nowhere');
    await page.getByRole('menuitem', { name: 'Send a test' }).focus();
    await page.keyboard.press('Enter');
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText(/^The test of Nowhere failed: \S/).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });

  test('shows deliveries that were given up with the reason, and sends one or the selected ones again', async () => {
    // An event of the configuration: the receiver refuses it, and one attempt is allowed.
    const { configurationManager } = await service.as('admin');
    const { id: treeId } = await configurationManager.createTree({
      name: 'Notified',
      deviceType: 'cisco-ios',
    });
    const base = { treeId, treeVersion: 'initial', nodePath: 'base', updateVariables: true };
    await configurationManager.setNodeConfig({
      ...base,
      data: { template: 'hostname edge\n', variables: {} },
    } as never);
    const page = await signInWith(['admin'], '/admin/notifications?tab=deliveries&status=dead');
    const table = page.getByRole('table', { name: 'Deliveries' });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
          return table.getByRole('row').count();
        },
        { timeout: 30_000, interval: 1000 },
      )
      .toBeGreaterThan(1);
    await table.getByText(/500/).first().waitFor();
    await table
      .getByRole('button', { name: /, delivery / })
      .first()
      .click();
    const delivery = page.getByRole('dialog', { name: 'Delivery' });
    await delivery
      .getByText(/"topic"/)
      .first()
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await delivery.getByRole('button', { name: 'Close' }).click();
    const before = receiver.received.length;
    await table
      .getByRole('button', { name: /^Send again delivery / })
      .first()
      .click();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    await page.reload();
    await table.waitFor();
    await press(page, 'Select all rows shown', 'Space');
    const count = (await table.getByRole('row').count()) - 1;
    expect(await axeInBothThemes(page)).toEqual([]);
    const selected = receiver.received.length;
    await press(page, `Send ${count} again`);
    await page
      .getByRole('region', { name: 'Messages' })
      .getByText(/(is|are) sent again\.$/)
      .first()
      .waitFor();
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(selected + count);
  });

  test('creates a secret provider and tests it without showing a value', async () => {
    const page = await signInWith(['admin'], '/admin/secrets');
    await page.getByRole('heading', { name: 'There is no secret provider yet' }).waitFor();
    await page.getByRole('button', { name: 'Create provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create provider' });
    await dialog.getByLabel('Kind').selectOption('environment');
    await dialog.getByLabel('Name', { exact: true }).fill('env');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create provider' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions of env' }).click();
    await page.getByRole('menuitem', { name: 'Test' }).click();
    const test = page.getByRole('dialog', { name: 'Test env' });
    await test.getByLabel('Path of a secret').fill('CONSOLE');
    await test.getByRole('button', { name: 'Test', exact: true }).click();
    await test.getByText('usable').waitFor();
    await test.getByLabel('Path of a secret').fill('NOWHERE');
    await test.getByRole('button', { name: 'Test', exact: true }).click();
    await test.getByText('failed', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const credential = { name: 'from-env', username: 'netops', password: '$SECRET_env:CONSOLE' };
    await service.send('admin', 'POST', '/automationgateway/credentials', { credential });
    await page.getByRole('link', { name: 'Uses' }).click();
    await page
      .getByRole('table', { name: 'Uses' })
      .getByRole('row', { name: /SECRET_env:CONSOLE.*from-env/ })
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(await page.content()).not.toContain('a-value-that-nobody-sees');
  });

  test('changes a credential of devices without its password, and deletes one that no device uses', async () => {
    const page = await signInWith(['admin'], '/admin/credentials');
    await page.getByRole('button', { name: 'Create credential' }).click();
    const dialog = page.getByRole('dialog', { name: /credential$/ });
    await dialog.getByLabel('Name', { exact: true }).fill('shared');
    await dialog.getByLabel('Password on the device').fill('a-password-of-all-devices');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await dialog.waitFor({ state: 'detached' });
    const host = { name: 'uses-shared', host: '192.0.2.61', device_type: 'cisco_ios', credential: 'shared' };
    await service.send('admin', 'POST', '/automationgateway/inventory/cli', { host });
    const open = async (action: string) => {
      await page.getByRole('button', { name: 'Actions of shared' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await open('Change');
    await dialog.getByLabel('Username on the device').fill('netops');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { json } = await service.send('admin', 'GET', '/automationgateway/credentials/shared');
    expect(json).toMatchObject({ username: 'netops', password: '********', scope: ['cli', 'grpc'] });
    await open('Delete');
    await dialog.getByRole('button', { name: 'Delete credential' }).click();
    await dialog.getByText(/is used by .*uses-shared/).waitFor();
    await service.send('admin', 'DELETE', '/automationgateway/inventory/cli/uses-shared');
    await dialog.getByRole('button', { name: 'Delete credential' }).click();
    await page.getByRole('button', { name: 'Actions of shared' }).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('a-password-of-all-devices');
  });

  test('counts what a run of retention would delete, stores how long documents are kept, and runs', async () => {
    const page = await signInWith(['admin'], '/admin/retention');
    await page.getByLabel('Days of ended jobs').fill('90');
    await page.getByLabel('Days of events').fill('30');
    await page.getByLabel('Number kept of backups').fill('5000');
    await page.getByRole('button', { name: 'Count what a run would delete' }).click();
    await page.getByText('A run would delete: nothing.').waitFor();
    await page.getByLabel('Days of events').fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The browser itself refuses to send a number that is too small.
    const isTooSmall = (input: unknown) =>
      (input as { validity: { rangeUnderflow: boolean } }).validity.rangeUnderflow;
    expect(await page.getByLabel('Days of events').evaluate(isTooSmall)).toBe(true);
    await page.getByLabel('Days of events').fill('30');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('region', { name: 'Messages' }).getByText(/./).first().waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('button', { name: 'Archive and delete now' }).click();
    await page.getByRole('table', { name: 'Retention runs' }).getByText('running').waitFor();
    await workOnRetention({
      db: service.db,
      directory: await makeFolder(),
      log: pino({ level: 'silent' }),
      now: () => new Date(),
    });
    await page.getByRole('table', { name: 'Retention runs' }).getByText('complete').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.reload();
    await page.getByLabel('Days of ended jobs').waitFor();
    expect(await page.getByLabel('Days of ended jobs').inputValue()).toBe('90');
    expect(await page.getByLabel('Number kept of backups').inputValue()).toBe('5000');
  });

  test('asks for confirmation before it changes who reads documents without an access list', async () => {
    const page = await signInWith(['admin'], '/admin/access');
    await page.getByLabel('Trees, devices, device groups').selectOption('administrators');
    await page.getByLabel('Passwords, keys and communities').selectOption('masked');
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Change for everyone' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByLabel('Passwords, keys and communities').waitFor();
    expect(await page.getByLabel('Passwords, keys and communities').inputValue()).toBe('masked');
  });

  test.each(['/admin/git', '/admin/secrets', '/admin/retention', '/admin/access', '/admin/sign-in'])(
    'names the missing role at %s',
    async (path) => {
      const page = await signInWith(['other'], path);
      await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
      await page.getByText(/Needs one of the roles: .*admin/).waitFor();
    },
  );
});
