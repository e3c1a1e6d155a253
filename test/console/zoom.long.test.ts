import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { cutOff } from '../helpers/console/cut-off.ts';
import { picture } from '../helpers/console/pictures.ts';
import { allScreens, openScreen } from '../helpers/console/screens.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';
import { variable, workflowOf } from '../helpers/workflows.ts';

/** What a window of 1280×800 pixels shows at 200 %. */
const AT_200_PERCENT = { width: 640, height: 400 };
/** The same at 400 % (WCAG 2.2, 1.4.10). */
const AT_400_PERCENT = { width: 320, height: 256 };

/** How far an element reaches beyond the left or right edge of the window, in pixels. */
async function distanceOutside(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  if (!box) throw new Error('the element is not shown');
  return Math.max(0, -box.x, box.x + box.width - AT_200_PERCENT.width);
}

describeInBrowser('the console at 200 %', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);
  const admin = await service.as('admin');

  test('every screen keeps its headings and controls within reach, and no page scrolls sideways', async () => {
    const page = await signInWith(['admin'], '/account');
    await page.setViewportSize(AT_200_PERCENT);
    const found: string[] = [];
    for (const { path, route, name } of await allScreens()) {
      await openScreen(page, path);
      await page.locator('main').getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      for (const size of [AT_400_PERCENT, AT_200_PERCENT]) {
        await page.setViewportSize(size);
        found.push(...(await cutOff(page)).map((one) => `${route} at ${size.width}: ${one}`));
      }
      await picture(page, `zoom.${name}`);
    }
    expect(found).toEqual([]);
  });

  test('the navigation shows the area of the page', async () => {
    const page = await signInWith(['admin'], '/account');
    await page.setViewportSize(AT_200_PERCENT);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    for (const [path, name] of [
      ['/admin/retention', 'Admin'],
      ['/prebuilts', 'Projects'],
    ] as const) {
      await page.goto(`/console${path}`);
      const current = navigation.locator('[aria-current="page"]').filter({ hasText: name });
      await current.waitFor();
      await expect.poll(() => distanceOutside(current)).toBe(0);
    }
  });

  test('a cell that is cut off shows its whole text to the pointer, and a narrow window shows whole names', async () => {
    const person = await createPerson(service, ['admin'], { username: 'a'.repeat(120) });
    const page = await signInWith(['admin'], '/admin/accounts');
    const cell = page.getByRole('cell', { name: person.username });
    await cell.hover();
    expect(await cell.getAttribute('title')).toBe(person.username);
    const short = page.getByRole('cell', { name: 'active' }).first();
    await short.hover();
    expect(await short.getAttribute('title')).toBe('');
    await page.setViewportSize(AT_200_PERCENT);
    await cell.hover();
    expect(await cell.getAttribute('title')).toBe('');
    const name = 'Time and logging of the access switches of all harbours';
    await admin.configurationManager.createDeviceTemplate({ name, template: 'ntp server 192.0.2.9' });
    await page.goto('/console/device-templates');
    const plain = page.getByRole('cell', { name, exact: true });
    await plain.hover();
    expect(await plain.getAttribute('title')).toBe('');
  });

  test('names of 200 letters without a space, and those written from right to left, widen no page', async () => {
    const long = 'W'.repeat(100);
    const page = await signIn(await createPerson(service, ['admin'], { username: long }), '/account');
    await page.setViewportSize(AT_400_PERCENT);
    await admin.profiles.createProfile({ properties: { id: long, description: long } });
    await admin.outgoing.replaceTargets({
      targets: [{ host: `${'w'.repeat(60)}.${'w'.repeat(60)}.example.net` }],
    });
    const found: string[] = [];
    for (const name of ['W'.repeat(200), 'מתג ליבה 7 (ראשי)']) {
      const tasks = { a1: { ...variable('x', 1), summary: name, name } };
      const { created } = await admin.automationStudio.createWorkflow({
        automation: workflowOf(name, tasks, { description: name }),
      });
      const fine = workflowOf(`${name}.`, { a1: { ...variable('x', 1), summary: name } });
      await admin.automationStudio.createWorkflow({ automation: fine });
      const { data: job } = await admin.operationsManager.startJob({
        workflow: fine.name,
        options: { variables: {}, description: name },
      });
      const { data: project } = await admin.automationStudio.createProject({ name: name.slice(0, 100) });
      const tree = await admin.configurationManager.createTree({
        name: name.slice(0, 100),
        deviceType: 'cisco-ios',
      });
      const node = { treeId: tree.id, version: 'initial', parentNodePath: 'base', name: name.slice(0, 100) };
      await admin.configurationManager.createNode(node);
      for (const [path, title] of [
        [`/jobs/${job._id}`],
        [`/jobs/${job._id}?view=timeline`],
        [`/projects/${project._id}`],
        [`/workflows/${created._id}`],
        [`/workflows/${created._id}?tab=schemas`],
        [`/workflows/${created._id}?tab=document`],
        [`/trees/${tree.id}`],
        [`/trees/${tree.id}?node=base%2F${encodeURIComponent(name.slice(0, 100))}`],
        ['/admin', 'Health'],
        ['/admin/profiles', 'Profiles'],
        [`/admin/profiles/${long}`, long],
        ['/admin/outgoing', 'Outgoing targets'],
      ] as const) {
        await openScreen(page, path);
        await page.getByRole('heading', { level: 1, name: title ?? name.slice(0, 100) }).waitFor();
        await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
        found.push(...(await cutOff(page)).map((one) => `${path.slice(0, 60)}: ${one}`));
      }
    }
    expect(found).toEqual([]);
  });

  test('in a low window the last page of the administration comes into view with the focus', async () => {
    const page = await signInWith(['admin'], '/admin/health');
    await page.setViewportSize({ width: 1280, height: 400 });
    const last = page.getByRole('navigation', { name: 'Administration' }).getByRole('link').last();
    await last.focus();
    const box = await last.boundingBox();
    expect((box?.y ?? 400) + (box?.height ?? 0)).toBeLessThanOrEqual(400);
  });

  test('a button opens the pages of the administration, and actions of a list cover no column', async () => {
    const page = await signInWith(['admin'], '/admin/applications');
    await page.setViewportSize(AT_200_PERCENT);
    const navigation = page.getByRole('navigation', { name: 'Administration' });
    const menu = navigation.getByRole('button', { name: 'System: Applications' });
    expect(await navigation.getByRole('link').count()).toBe(0);
    await page.locator('td.actions').first().waitFor();
    expect(await page.evaluate('getComputedStyle(document.querySelector("td.actions")).position')).toBe(
      'static',
    );
    await menu.click();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    expect(await axeInBothThemes(page)).toEqual([]);
    await navigation.getByRole('link', { name: 'Outgoing targets' }).click();
    await navigation.getByRole('button', { name: 'Connections: Outgoing targets' }).waitFor();
    expect(await navigation.getByRole('link').count()).toBe(0);
  });

  test('dialogs, the palette and the sheet of shortcuts fit, and their last button is reached', async () => {
    const page = await signInWith(['admin'], '/jobs');
    await page.setViewportSize(AT_200_PERCENT);
    const found: string[] = [];
    const look = async (what: string) => found.push(...(await cutOff(page)).map((one) => `${what}: ${one}`));
    const OPENED = [
      ['/jobs', 'Start job'],
      ['/backups', 'Back up devices'],
      ['/device-groups', 'Create group'],
      ['/trees', 'Create golden config'],
      ['/admin/accounts', 'Create account'],
      ['/automations', 'Create automation'],
      ['/projects', 'Create project'],
    ] as const;
    for (const [path, button] of OPENED) {
      await openScreen(page, path);
      const opener = page.getByRole('button', { name: button, exact: true });
      await opener.click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await look(`${path}, ${button}`);
      const last = dialog.getByRole('button').last();
      await last.scrollIntoViewIfNeeded();
      const box = await last.boundingBox();
      if (!box || box.y + box.height > AT_200_PERCENT.height)
        found.push(`${path}: the last button is below the window`);
      await picture(page, `zoom.dialog${path.replaceAll('/', '-')}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    for (const keys of ['?', 'Control+k']) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog').waitFor();
      await look(`after ${keys}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);
  });
});
