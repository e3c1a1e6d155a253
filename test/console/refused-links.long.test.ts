import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';

describeInBrowser('what an account may not see', async () => {
  const { service, proposalIds, campaignId } = await openHarbour();
  const { signInWith } = await openConsole(service);

  test('is named without a link on the pages that an operator may see', async () => {
    const page = await signInWith(['engineering'], `/proposals/${proposalIds[1]}`);
    const about = page.getByRole('region', { name: 'About this proposal' });
    await about.getByText('The report that it remediates').waitFor();
    await about.getByText('quay-2', { exact: true }).waitFor();
    expect(await about.getByRole('link').allTextContents()).toEqual([]);
    const path = page.getByRole('navigation', { name: 'Path' });
    expect(await path.getByRole('link').allTextContents()).toEqual(['Proposals']);
    await page.goto(`/console/campaigns/${campaignId}`);
    const row = page.getByRole('table', { name: 'Devices of the campaign' }).getByRole('row').nth(1);
    await row.getByText('quay-3').waitFor();
    expect(await row.getByRole('link').allTextContents()).toEqual(['open']);

    // Without the reports, the area leads to the proposals; areas of which it may see nothing are not there.
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Compliance' }).click();
    await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor();
    expect(await main.getByRole('link', { name: 'Devices' }).count()).toBe(0);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Compliance').waitFor();
    expect(await sheet.getByText('Devices').count()).toBe(0);
    await sheet.getByRole('button', { name: 'Close' }).click();

    await page.goto('/console/devices');
    await page.getByText('Your account may not see this').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  test('has no tab on the page of a device, and a shared link to it says which role is missing', async () => {
    const page = await signInWith(['apiread'], '/devices/quay-1');
    const tabs = page.getByRole('navigation', { name: 'About this device' });
    await tabs.getByRole('link', { name: 'Jobs' }).waitFor();
    expect(await tabs.getByRole('link', { name: 'Commands' }).count()).toBe(0);
    await page.goto('/console/devices/quay-1?tab=commands');
    await page.getByText('Your account may not see this').waitFor();
    await page.goto('/console/projects');
    await page.getByText('Projects of which you are a member appear here').waitFor();
  });
});
