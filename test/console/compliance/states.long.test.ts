import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('compliance and golden configs without data or rights', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);

  test('says what to do when there is no golden config, no proposal', async () => {
    const page = await signInWith(['admin'], '/compliance');
    await page.getByRole('heading', { name: 'There is no golden config yet' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Create a golden config' }).click();
    await page.getByRole('heading', { level: 1, name: 'Golden configs' }).waitFor();
    await page.goto('/console/proposals');
    await page.getByRole('heading', { name: 'There is no proposal yet' }).waitFor();
  });

  test('names the roles that are missing, and hides what an account may not do', async () => {
    const refused = await signInWith(['engineering'], '/compliance');
    await refused.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    const reader = await signInWith(['apiread'], '/trees');
    await reader.getByRole('heading', { name: 'There is no golden config yet' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Create golden config' }).count()).toBe(0);
  });

  test('shows the error of a report that does not exist, with its request id', async () => {
    const page = await signInWith(['admin'], '/reports/65f0c1d2e3a4b5c6d7e8f901');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText(/^Request /).waitFor();
  });
});
