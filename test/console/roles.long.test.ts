import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { ROLES } from '#server/kernel/roles.ts';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { allScreens, isOfOneObject, openScreen } from '../helpers/console/screens.ts';
import { tabTitles } from '../helpers/console/tab-titles.ts';
import { createPerson, sendAs, signIn } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** A role of single permissions: somebody who looks at jobs and devices. */
const VIEWER = 'viewer of jobs and devices';

/** An address that shows the page of another one. */
const SAME = '/admin';
/** The page that the menu of the account leads to. */
const IN_MENU = '/account';

/** Procedures whose buttons the console shows by rights, of every kind of write. */
const GUARDED = [
  'operationsManager.startJob',
  'operationsManager.cancelJobs',
  'operationsManager.claimTask',
  'operationsManager.finishTask',
  'operationsManager.createAutomation',
  'operationsManager.deleteTrigger',
  'configurationManager.runCompliance',
  'configurationManager.proposeRemediations',
  'configurationManager.approveRemediation',
  'configurationManager.applyRemediation',
  'configurationManager.rejectRemediation',
  'configurationManager.backUpDevice',
  'configurationManager.createDeviceGroup',
  'configurationManager.createTree',
  'configurationManager.deleteTrees',
  'mop.runCommandDevices',
  'mop.createTemplate',
  'automationStudio.importProject',
  'automationStudio.deleteProject',
  'authorization.createAccount',
  'authorization.updateRole',
  'authorization.deleteToken',
  'oauth.createServiceAccount',
  'adapters.createAdapter',
  'profiles.updateProfile',
  'audit.listEntries',
  'outgoing.replaceTargets',
  'integrations.createIntegration',
];

/** Returns the paths below /console that the content of a page links to. */
const pathsLinkedOn = (page: Page): Promise<string[]> =>
  page
    .locator('main a[href]')
    .evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'pathname')).replace('/console', '')));

/** Returns the pages that can be reached by links, beginning with those of the navigation. */
function reachedFrom(links: readonly string[], linksOf: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(links.map((link) => link.replace('/console', '')));
  for (const path of reached) for (const next of linksOf.get(path) ?? []) reached.add(next);
  return reached;
}

describeInBrowser('the console for every role', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const screens = (await allScreens()).filter((screen) => !isOfOneObject(screen));
  await service.send('admin', 'POST', '/authorization/roles', {
    role: {
      name: VIEWER,
      description: '',
      allowedMethods: [
        { provenance: 'OperationsManager', name: 'listJobs' },
        { provenance: 'OperationsManager', name: 'countJobs' },
        { provenance: 'OperationsManager', name: 'getJob' },
        { provenance: 'ConfigurationManager', name: 'searchDevices' },
        { provenance: 'ConfigurationManager', name: 'listDeviceStates' },
      ],
      allowedViews: [],
    },
  });

  /** Collects what the server refuses, by the name of the procedure. */
  const watchRefusals = (page: Page): string[] => {
    const refused: string[] = [];
    page.on('response', (response: Response) => {
      const [, procedure] = /\/trpc\/([\w.]+)/.exec(response.url()) ?? [];
      if (procedure && response.status() === 403) refused.push(procedure);
    });
    return refused;
  };
  const isIdle = (page: Page) =>
    page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });

  test.each([...ROLES, VIEWER])(
    'a holder of %s sees no screen and no action that the server would refuse, no link to such a screen, and titles that differ',
    async (role) => {
      const page = await signInWith([role], '/account');
      const refused = watchRefusals(page);
      const faults: string[] = [];
      const links = await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'pathname'))));
      const linksOf = new Map<string, string[]>();
      const refusedPaths: string[] = [];
      const titleFault = tabTitles();
      let shown = 0;
      for (const { path } of screens) {
        refused.length = 0;
        await openScreen(page, path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isIdle(page);
        const isRefused = (await page.getByText('Your account may not see this').count()) > 0;
        if (isRefused) {
          refusedPaths.push(path);
          if (links.includes(`/console${path}`)) faults.push(`${path} is linked and refused`);
          continue;
        }
        shown++;
        linksOf.set(path, await pathsLinkedOn(page));
        const fault = path === SAME ? undefined : await titleFault(page, path);
        if (fault) faults.push(fault);
        if (refused.length > 0) faults.push(`${path} asks for ${refused.join(', ')}`);
        // Every action of the screen opens its dialog or its page without a refusal.
        const actions = page.locator('.page-head button:not([disabled])');
        for (let at = 0; at < (await actions.count()); at++) {
          const name = await actions.nth(at).textContent();
          await actions.nth(at).click();
          await isIdle(page);
          if (refused.length > 0) faults.push(`${path}, ${name}: ${refused.join(', ')}`);
          refused.length = 0;
          // A dialog hears the key once it has the focus: a slow machine shows it before.
          await expect
            .poll(async () => {
              await page.keyboard.press('Escape');
              return page.getByRole('dialog').count();
            })
            .toBe(0);
        }
      }
      const reached = reachedFrom(links, linksOf);
      for (const path of linksOf.keys()) {
        if (!reached.has(path) && path !== SAME && path !== IN_MENU) faults.push(`no link leads to ${path}`);
      }
      for (const [from, all] of linksOf) {
        const dead = refusedPaths.filter((path) => all.includes(path) && path !== SAME);
        if (dead.length > 0) faults.push(`${from} links to ${dead.join(', ')}, which is refused`);
      }
      console.info(`${role}: ${shown} of ${screens.length} screens`);
      expect(faults).toEqual([]);
    },
  );

  test.each([...ROLES, VIEWER])(
    'the server refuses a holder of %s everything that the console hides',
    async (role) => {
      const person = await createPerson(service, [role]);
      const token = await signIn(service, person);
      const call = (name: string) => sendAs(service, token, 'POST', `/trpc/${name}`, {});
      type Who = { result: { data: { methods: Record<string, string[]> } } };
      const { methods } = ((await call('session.whoAmI')).json as Who).result.data;
      const may = (area: string, name: string) =>
        methods[area.charAt(0).toUpperCase() + area.slice(1)]?.includes(name) ?? false;
      const found: string[] = [];
      for (const name of GUARDED) {
        const [area = '', procedure = ''] = name.split('.');
        if (may(area, procedure)) continue;
        const { status } = await call(name);
        // 404 and 405: no such procedure, or not by this method; neither reaches anything.
        if (![403, 404, 405].includes(status)) found.push(`${name}: ${status}`);
      }
      expect(found).toEqual([]);
    },
  );

  test('an account with apiread alone sees the overview of compliance', async () => {
    const page = await signInWith(['apiread'], '/compliance');
    await page.getByRole('heading', { name: 'There is no golden config yet' }).waitFor();
    await service.send('admin', 'POST', '/configuration_manager/configs', {
      name: 'Fleet',
      deviceType: 'cisco-ios',
    });
    await page.reload();
    await page.getByRole('link', { name: /^unchecked\s*0\s*devices$/ }).waitFor();
    await page.getByRole('heading', { name: 'Top issues' }).waitFor();
  });
});
