import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { press } from '../../helpers/console/keys.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { missingForGit, openRepository, serveHttp } from '../../helpers/git/repositories.ts';
import { openService } from '../../helpers/service.ts';

const lacks = missingForGit.length > 0;

describeInBrowser('Git in the console', async () => {
  const service = await openService({ DATA_DIR: await makeFolder() }, { works: true });
  const { configurationManager } = await service.as('admin');
  const { signInWith } = await openConsole(service);

  const store = (name: string, rawConfig: string, day: number) =>
    configurationManager.importBackups({
      backups: [{ name, rawConfig, date: `2026-03-0${day}T00:00:00.000Z` }],
    });

  test.skipIf(lacks)(
    'pushes after a dry run, shows a conflict, and keeps the side that is chosen',
    async () => {
      const repository = openRepository();
      await repository.opened;
      const url = `${await serveHttp(repository.folder, 'robot', 'a-token-of-git')}/network/config.git`;
      await store('pier-1', 'one\n', 1);
      await store('pier-2', 'one\n', 1);

      const page = await signInWith(['admin'], '/admin/git');
      await page.getByRole('heading', { name: 'There is no Git remote yet' }).waitFor();
      await page.getByRole('button', { name: 'Create remote' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create remote' });
      await dialog.getByText(/^The address decides how the service signs in/).waitFor();
      expect(await dialog.getByLabel('Private key').count()).toBe(0);
      await dialog.getByLabel('Name', { exact: true }).fill('Configurations');
      await dialog.getByLabel('Repository').fill('ext::sh');
      await dialog.getByRole('checkbox', { name: 'golden configs' }).uncheck();
      await dialog.getByRole('checkbox', { name: 'device backups' }).check();
      await dialog.getByRole('button', { name: 'Create remote' }).click();
      await dialog.getByRole('alert').getByText('remote.url', { exact: true }).waitFor();
      await dialog.getByLabel('Repository').fill(url);
      await dialog.getByLabel('Account of the token').fill('robot');
      await dialog.getByLabel('Token', { exact: true }).fill('a-token-of-git');
      expect(await axeInBothThemes(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Create remote' }).click();
      await page.getByRole('heading', { level: 1, name: 'Configurations' }).waitFor();

      await page.getByRole('button', { name: 'Push' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Try the push' }).click();
      await page.getByRole('heading', { level: 1, name: 'Push, dry run' }).waitFor();
      await page.getByRole('heading', { name: 'Documents that would be written' }).waitFor();
      expect(await repository.git('branch', '--list')).toBe('');
      expect(await axeInBothThemes(page)).toEqual([]);
      await page.getByRole('button', { name: 'Push …' }).click();
      await page.getByRole('checkbox', { name: 'Dry run: nothing is written' }).uncheck();
      await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Push', exact: true }).waitFor();
      await page.getByRole('table', { name: 'Commits' }).getByRole('row').nth(2).waitFor();

      await store('pier-1', 'here\n', 2);
      await repository.change({
        'device-backups/pier-1.cfg': 'there\n',
        'device-backups/pier-2.cfg': 'two\n',
      });
      await page.getByRole('link', { name: 'Git remote' }).click();
      await page.getByRole('button', { name: 'Pull' }).click();
      await page.getByRole('checkbox', { name: 'Dry run: nothing is written' }).uncheck();
      await page.getByRole('dialog').getByRole('button', { name: 'Pull', exact: true }).click();
      const conflicts = page.getByRole('table', { name: 'Conflicts' });
      await conflicts.getByRole('row', { name: /pier-1 device backups/ }).waitFor();
      await page.getByRole('region', { name: 'Summary' }).getByText('1 conflict', { exact: true }).waitFor();
      await page
        .getByRole('table', { name: 'Documents' })
        .getByRole('row', { name: /pier-2 .*changed/ })
        .waitFor();
      expect(await repository.text('device-backups/pier-1.cfg')).toBe('there\n');
      expect(await axeInBothThemes(page)).toEqual([]);
      expect(await page.getByRole('button', { name: 'Keep what is here' }).isDisabled()).toBe(true);
      await press(page, 'Compare both sides of pier-1');
      const sides = page.getByRole('region', { name: 'Both sides of pier-1' });
      await sides.getByText('− here now').first().waitFor();
      await sides.getByText('+ the branch main of the repository now').first().waitFor();
      const texts = 'device-backups/pier-1.cfg, here and in the repository';
      await sides
        .getByRole('textbox', { name: `${texts}, before` })
        .getByText('here')
        .waitFor();
      await sides
        .getByRole('textbox', { name: `${texts}, after` })
        .getByText('there')
        .waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      // A narrow window has no room for two columns: the lines of both sides are in one.
      const size = page.viewportSize() ?? { width: 1280, height: 800 };
      await page.setViewportSize({ width: 390, height: 844 });
      const both = sides.getByRole('textbox', { name: texts, exact: true });
      await both.locator('.cm-deletedLine').getByText('here').waitFor();
      await both.locator('.cm-changedLine').getByText('there').waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      await page.setViewportSize(size);
      await sides.getByRole('textbox', { name: `${texts}, before` }).waitFor();
      await press(page, 'Take what is in the repository of pier-1');
      const take = page.getByRole('dialog', { name: 'Take what is in the repository' });
      await take.getByText('One document replaces the other side').waitFor();
      await page.keyboard.press('Escape');
      await take.waitFor({ state: 'detached' });
      await press(page, 'Select row 1', 'Space');
      await press(page, 'Keep what is here');
      const settle = page.getByRole('dialog', { name: 'Keep what is here' });
      await settle.getByText('One document replaces the other side').waitFor();
      await settle.getByRole('listitem').getByText('device-backups/pier-1.cfg', { exact: true }).waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click();
      await page.getByRole('table', { name: 'Commits' }).waitFor();
      expect(await repository.text('device-backups/pier-1.cfg')).toBe('here\n');
      expect(await page.content()).not.toContain('a-token-of-git');

      await store('pier-3', 'proposed\n', 4);
      await press(page, 'Git remote');
      await page
        .getByRole('table', { name: 'Runs' })
        .getByRole('row', { name: /pull complete 1 conflict/ })
        .waitFor();
      await press(page, 'Push');
      await press(page, 'Dry run: nothing is written', 'Space');
      await page.getByRole('dialog').getByLabel('Branch of a proposal').fill('propose/piers');
      await page.keyboard.press('Enter');
      await page.getByText(/^A proposal: the branch propose\/piers has these commits/).waitFor();
      expect(await repository.text('device-backups/pier-3.cfg', 'propose/piers')).toBe('proposed\n');
      expect(await axeInBothThemes(page)).toEqual([]);
    },
  );

  test.skipIf(lacks)('shows why a run failed, what to do about it, and the output of git', async () => {
    const page = await signInWith(['admin'], '/admin/git');
    await page.getByRole('link', { name: 'Configurations' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change remote' });
    expect(await dialog.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    await dialog.getByLabel('Token', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pull' }).click();
    await page.getByRole('button', { name: 'Try the pull' }).click();
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('error', { exact: true }).waitFor();
    const help =
      'the server does not accept the credential; store a token in the remote that is valid, and that may read the repository and, to push, write to it';
    await summary.getByText(help, { exact: true }).waitFor();
    await summary.getByText(/^Git says: \S/).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await page.goto('/console/admin/git');
    const row = page
      .getByRole('table', { name: 'Git remotes' })
      .getByRole('row', { name: /^Configurations failing since / });
    await row.getByText(/the server does not accept the credential/).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
