import { expect, test } from 'vitest';
import type { NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { createPerson } from '../../helpers/people.ts';

/** Returns in a page the contrast between the text of one element and the background of another: axe looks at no selected text. */
const CONTRAST = `(text, background) => {
  const luminance = (colour) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const one = luminance(getComputedStyle(document.querySelector(text)).color);
  const other = luminance(getComputedStyle(document.querySelector(background)).backgroundColor);
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}`;

describeInBrowser('the editor of golden configs', async () => {
  const fleet = await openFleet(false);
  const service = { ...fleet, send: fleet.service };
  const { signIn } = await openConsole(service);
  const { done, tree, backUp } = fleet;

  test('creates a golden config, names errors by line, checks a draft against a backup, and saves it', async () => {
    await backUp({ 'edge-7': 'hostname edge\n' });
    const page = await signIn(await createPerson(service, ['admin']), '/trees');
    await page.getByRole('button', { name: 'Create golden config' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Harbour');
    await dialog.getByLabel('Device type').selectOption('cisco-ios');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();

    const backup = page.getByLabel('Backup');
    await backup.locator('option', { hasText: 'edge-7' }).waitFor({ state: 'attached' });
    await backup.selectOption({ index: 1 });
    const editor = page.getByRole('textbox', { name: 'Template' });
    const begin = page.getByRole('button', { name: 'Start the template with it' });
    await begin.click();
    await expect.poll(() => editor.textContent()).toContain('hostname edge');
    await begin.waitFor({ state: 'detached' });
    await editor.fill('hostname {{ site \n');
    await page
      .getByRole('list', { name: 'Notes on the template' })
      .getByText(/line 1/)
      .waitFor();
    await editor.fill('hostname edge\n<e/>ntp server 192.0.2.9\n');
    const outcome = page.getByRole('status', { name: 'Check' });
    await outcome.getByText('1 error, 0 warnings, 0 infos, 1 met').waitFor();
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('status', { name: 'Draft' }).getByText('saved', { exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await page.getByRole('link', { name: 'rules' }).click();
    await page.getByLabel('Severity of ntp server 192.0.2.9').selectOption('info');
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByRole('link', { name: 'template' }).click();
    await page.getByRole('textbox', { name: 'Template' }).getByText('<i/>ntp server').waitFor();
  });

  test('selected text and finds can be read in both themes, and are marked where the system sets all colours', async () => {
    const { id } = await tree('hostname edge\nntp server 192.0.2.9\n');
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}`);
    const contrast = (text: string, background: string) =>
      page.evaluate<number>(`(${CONTRAST})('${text}', '${background}')`);
    await page.getByRole('textbox', { name: 'Template' }).click();
    await page.keyboard.press('Control+a');
    await page.locator('.cm-selectionBackground').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await contrast('.cm-line', '.cm-selectionBackground')).toBeGreaterThan(4.5);
    }
    await page.keyboard.press('Control+f');
    const search = page.getByRole('textbox', { name: 'Find' });
    await search.fill('server');
    const find = page.locator('.cm-searchMatch').first();
    await find.waitFor();
    expect(await contrast('.cm-searchMatch', '.cm-searchMatch')).toBeGreaterThan(4.5);
    expect(await contrast('.cm-search label', '.cm-panels')).toBeGreaterThan(4.5);
    for (const name of ['next', 'close'])
      expect((await page.getByRole('button', { name }).boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await contrast('.cm-searchMatch', '.cm-searchMatch')).toBeGreaterThan(4.5);
    const background = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await background('.cm-searchMatch')).not.toBe(await background('body'));
  });

  test('writes the rules of a node for another platform beside those of the tree, and removes them', async () => {
    const { id } = await tree('hostname edge\n');
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}`);
    const sections = async () => {
      const { spec } = await done<NodeDetail>('GET', `/configs/${id}/initial/base`);
      return Object.entries(spec.sections ?? {}).map(([name, { template }]) => [name, template]);
    };
    await page.getByRole('button', { name: 'Add platform' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Platform').selectOption('arista-eos');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Write its rules' }).click();
    await page.waitForURL(/platform=arista-eos/);
    await page.getByRole('textbox', { name: 'Template' }).fill('ntp server 192.0.2.7\n');
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('status', { name: 'Draft' }).getByText('saved', { exact: true }).waitFor();
    expect(await sections()).toEqual([['arista-eos', 'ntp server 192.0.2.7\n']]);

    // The template of the tree is saved beside it, and the address names the platform.
    await page.getByLabel('Rules for the platform').selectOption('');
    await page.getByRole('textbox', { name: 'Template' }).getByText('hostname edge').waitFor();
    await page.getByRole('textbox', { name: 'Template' }).fill('hostname core\n');
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('status', { name: 'Draft' }).getByText('saved', { exact: true }).waitFor();
    expect(await sections()).toEqual([['arista-eos', 'ntp server 192.0.2.7\n']]);
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page
      .getByRole('region', { name: 'Rules for arista-eos' })
      .getByText('ntp server 192.0.2.7')
      .waitFor();

    await page.goto(`${service.url}/console/trees/${id}?platform=arista-eos`);
    await page.getByRole('textbox', { name: 'Template' }).getByText('ntp server 192.0.2.7').waitFor();
    await page.getByRole('button', { name: 'Remove platform' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove platform' }).click();
    await page.getByRole('textbox', { name: 'Template' }).getByText('hostname core').waitFor();
    expect(await sections()).toEqual([]);
  });

  test('shows both versions when another user has saved the template, and overwrites nothing', async () => {
    const { id, rules } = await tree('hostname edge\n');
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}`);
    const editor = page.getByRole('textbox', { name: 'Template' });
    await editor.fill('hostname mine\n');
    await rules('base', 'hostname theirs\n');
    await page.getByRole('button', { name: 'Save template' }).click();
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await conflict.getByText('hostname theirs').waitFor();
    await conflict.getByText('hostname mine').waitFor();
    const read = () => done<NodeDetail>('GET', `/configs/${id}/initial/base`);
    expect((await read()).spec.template).toBe('hostname theirs\n');
    await conflict.getByRole('button', { name: /^Keep mine/ }).click();
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('status', { name: 'Draft' }).getByText('saved', { exact: true }).waitFor();
    expect((await read()).spec.template).toBe('hostname mine\n');
  });

  test('asks before a link leaves a template that is not saved, and stays if it may not', async () => {
    const { id } = await tree('hostname edge\n');
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}`);
    const editor = page.getByRole('textbox', { name: 'Template' });
    let questions = 0;
    let isLeft = false;
    page.on('dialog', (question) => {
      questions++;
      return isLeft ? question.accept() : question.dismiss();
    });
    const leave = () =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click();
    await editor.fill('hostname mine\n');
    await leave();
    await expect.poll(() => questions).toBe(1);
    expect(await editor.textContent()).toContain('hostname mine');
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('status', { name: 'Draft' }).getByText('saved', { exact: true }).waitFor();
    await editor.fill('hostname other\n');
    isLeft = true;
    await leave();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    expect(questions).toBe(2);
  });

  test('shows both versions of the variables when another user has saved them, and keeps what was typed', async () => {
    const { id } = await tree('hostname edge\n', { site: 'oslo' });
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}?tab=variables`);
    await page.getByRole('textbox', { name: 'Variables' }).fill('{ "site": "mine" }');
    await done('PUT', `/configs/${id}/initial`, { variables: { site: 'theirs' } });
    await page.getByRole('button', { name: 'Save variables' }).click();
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await conflict.getByText('"site": "theirs"').waitFor();
    await conflict.getByText('"site": "mine"').waitFor();
    await conflict.getByRole('button', { name: /^Keep mine/ }).click();
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.getByText('Saved; nodes whose rules').waitFor();
    const { variables } = await done<{ variables: object }>('GET', `/configs/${id}/initial`);
    expect(variables).toEqual({ site: 'mine' });
  });

  test('keeps the chosen rule settings when another user has saved the template, and saves them onto the new template', async () => {
    const { id, rules } = await tree('hostname edge\n');
    const page = await signIn(await createPerson(service, ['admin']), `/trees/${id}?tab=rules`);
    await page.getByLabel('Severity of hostname edge').selectOption('info');
    await rules('base', 'hostname edge\nntp server 192.0.2.9\n');
    const save = page.getByRole('button', { name: 'Save rules' });
    await save.click();
    await page.getByText('with your choices').waitFor();
    await page.getByLabel('Severity of ntp server 192.0.2.9').waitFor();
    expect(await page.getByLabel('Severity of hostname edge').inputValue()).toBe('info');
    await save.click();
    await save.waitFor({ state: 'detached' });
    const { spec } = await done<NodeDetail>('GET', `/configs/${id}/initial/base`);
    expect(spec.template).toBe('<i/>hostname edge\nntp server 192.0.2.9\n');
  });
});
