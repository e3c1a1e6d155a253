import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { allScreens, isOfOneObject, openScreen } from '../helpers/console/screens.ts';

/** Addresses that show the same page. */
const SAME = new Set(['/admin']);

describeInBrowser('the title of the browser tab', async () => {
  const harbour = await openHarbour();
  const { service, failing, waiting, reportIds, proposalIds, campaignId, treeId, automationId } = harbour;
  const { signInWith } = await openConsole(service);

  test('differs for every screen, and names the page, its chosen tab and its area', async () => {
    const page = await signInWith(['admin'], '/account');
    const titles = new Map<string, string>();
    const screens = (await allScreens()).filter((one) => !isOfOneObject(one)).map(({ path }) => path);
    for (const path of [
      ...screens.filter((one) => !SAME.has(one)),
      `/jobs/${failing}`,
      `/jobs/${waiting}`,
      `/reports/${reportIds[0]}`,
      `/proposals/${proposalIds[0]}`,
      `/campaigns/${campaignId}`,
      '/devices/quay-1',
      '/devices/quay-1?tab=backups',
      `/device-groups/${harbour.groupId}`,
      '/backups?tab=schedules',
      `/trees/${treeId}`,
      '/automations?tab=triggers',
      `/automations/${automationId}`,
      '/integrations/sites',
      '/integration-models/Sites:1.0',
      '/admin/notifications?tab=channels',
      `/admin/accounts/${harbour.account.id}`,
    ]) {
      await openScreen(page, path);
      await page.locator('main').getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
      const title = await page.title();
      expect(titles.get(title), `${path} has the title of another page: ${title}`).toBeUndefined();
      titles.set(title, path);
      const heading = await page.getByRole('heading', { level: 1 }).textContent();
      expect(title).toContain(heading ?? '');
      expect(title).toMatch(/ · Switchyard$/);
    }
    const byPath = new Map([...titles].map(([title, path]) => [path, title]));
    expect(byPath.get('/jobs')).toBe('Jobs · Switchyard');
    expect(byPath.get('/admin/groups')).toBe('Groups · Admin · Switchyard');
    expect(byPath.get('/backups?tab=schedules')).toBe('Schedules · Fleet backups · Devices · Switchyard');
    expect(byPath.get(`/automations/${automationId}`)).toBe('Visits · Automations · Switchyard');
  });
});
