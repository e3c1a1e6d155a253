import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { allScreens, lookAt, openScreen } from '../helpers/console/screens.ts';
import { openService } from '../helpers/service.ts';

/** Screens of the account itself, which nobody is refused. */
const OWN = ['/account', '/admin'];

describeInBrowser('every screen that the account may not see', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);

  test('names the role that is missing, without accessibility findings', async () => {
    const page = await signInWith([], '/account');
    const main = page.locator('main');
    const findings: string[] = [];
    const screens = (await allScreens()).filter(({ route }) => !OWN.includes(route));
    for (const [at, screen] of screens.entries()) {
      // What a refusal looks like is the same on all of them: each theme sees half.
      await page.emulateMedia({ colorScheme: at % 2 === 0 ? 'light' : 'dark' });
      await openScreen(page, screen.path);
      await main
        .getByText(/needs? (one of )?the roles?|role/i)
        .filter({ visible: true })
        .first()
        .waitFor()
        .catch(async () => {
          const shown = (await main.allTextContents()).join(' ').slice(0, 200);
          findings.push(`${screen.route} names no role: ${shown}`);
        });
      findings.push(...(await lookAt(page, screen, 'refused')));
    }
    expect(findings).toEqual([]);
  });
});
