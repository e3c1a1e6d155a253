import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

describeInBrowser('code that cannot be loaded', async () => {
  const service = await openService();
  const { newContext, signIn } = await openConsole(service);
  const person = await createPerson(service, ['admin']);

  test('is reported in a message and loaded as soon as it is available, for dialogs and for pages, and typed text stays', async () => {
    const context = await newContext();
    let isAway = false;
    await context.route('**/assets/*.js', (route) =>
      isAway ? route.fulfill({ status: 404, body: 'none' }) : route.continue(),
    );
    // Dialogs are loaded in the first idle moment, which comes before a test could prevent it.
    await context.addInitScript('window.requestIdleCallback = () => 0;');
    const page = await signIn(person, '/devices', context);
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    const message = page.getByRole('region', { name: 'Messages' }).getByText('could not be loaded');

    isAway = true;
    await page.keyboard.press('Control+k');
    await message.waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    isAway = false;
    await page.getByRole('dialog').waitFor({ timeout: 20_000 });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Dismiss message' }).click();

    isAway = true;
    const filter = page.getByRole('searchbox').first();
    await filter.fill('spine');
    await page.getByRole('link', { name: 'Golden configs' }).first().click();
    await message.waitFor();
    expect(await filter.inputValue()).toBe('spine');
    isAway = false;
    await page.getByRole('heading', { level: 1, name: 'Golden configs' }).waitFor({ timeout: 20_000 });
    expect(new URL(page.url()).pathname).toBe('/console/trees');
  });

  test('is asked for again with its styles, and so is the console itself, which says so meanwhile', async () => {
    const context = await newContext();
    const away = { status: 502, contentType: 'text/html', body: 'none' };
    let failures = 0;
    let isAway = true;
    await context.route(/assets\/(console-[^/]*\.js|code-mirror-[^/]*\.css)$/, (route) => {
      if (!isAway) return route.continue();
      failures += 1;
      return route.fulfill(away);
    });
    await context.request.post('/login', { data: { username: person.username, password: person.password } });
    const page = await context.newPage();
    await page.goto('/console/text-templates');
    await page.getByText('If it does not appear, reload the page.').waitFor();
    isAway = false;
    await page.getByRole('heading', { level: 1, name: 'Text templates' }).waitFor();
    isAway = true;
    failures = 0;
    await page.getByRole('button', { name: 'Create the first one' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Berths');
    await page.getByRole('dialog').getByLabel('Group').fill('Quays');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Create/ })
      .click();
    await page.getByRole('region', { name: 'Messages' }).getByText('could not be loaded').waitFor();
    expect(failures).toBeGreaterThan(0);
    isAway = false;
    await page.locator('.cm-gutters').first().waitFor({ timeout: 20_000 });
    const colour = (selector: string, name: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await colour('.cm-gutters', 'color')).toBe(await colour('.muted', 'color'));
  });

  test('and parts that arrive late make the styles of a page with many elements no dearer', async () => {
    const page = await signIn(person, '/account');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const styled = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'RecalcStyleDuration')?.value ?? 0;
    };
    const before = await styled();
    // As many elements beside each other as the graph of a job with 2,000 steps has, below a part that still loads.
    await page.evaluate(`{
      const part = document.createElement('div');
      part.innerHTML = '<p aria-busy="true">Loading</p><div>' + '<i></i>'.repeat(2000) + '</div>';
      document.querySelector('.page').append(part);
      for (let round = 0; round < 5; round++) {
        part.append(document.createElement('b'));
        part.toggleAttribute('hidden');
        getComputedStyle(part.lastChild).color;
      }
    }`);
    expect((await styled()) - before).toBeLessThan(0.25);
  });
});
