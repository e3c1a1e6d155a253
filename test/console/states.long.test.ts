import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { axeInBothThemes, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { picture } from '../helpers/console/pictures.ts';
import { allScreens, isOfOneObject, openScreen, type Screen } from '../helpers/console/screens.ts';
import { openService } from '../helpers/service.ts';

/** Screens that need nothing of the server to show themselves: a menu of others, and a form. */
const PLAIN = ['/admin', '/inventory/import'];
/** Screens of the account itself, which nobody is refused. */
const OWN = ['/account', '/admin'];

describeInBrowser('every screen in every state', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const screens = await allScreens();
  const { db, close } = openDatabase({ connection: service.connection, max: 1, statementTimeoutMs: 0 });
  const tables = (
    await rows<{ name: string }>(
      db,
      sql`select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    )
  ).map(({ name }) => name);

  /** Opens a path within the console, as a link does. */
  const open = (page: Page, path: string) => page.evaluate(`history.pushState({}, '', '/console${path}')`);
  /** A console on a page without content, with nothing in its memory. */
  const openAnew = async (page: Page) => {
    await page.goto('/console/no-such-page');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  };
  /** Opens every screen once: from then on its code comes from the cache of the browser, and only data is slow or missing. */
  const loadCode = async (page: Page) => {
    for (const { path } of screens) {
      await openScreen(page, path);
      await main(page).getByRole('heading', { level: 1 }).waitFor();
    }
  };
  const main = (page: Page) => page.locator('main');
  /** Whether a screen says that it is busy. */
  const busy = (page: Page) => main(page).locator('[aria-busy="true"]').first();

  /** Checks what is shown in light and dark, and takes its picture. */
  const check = async (page: Page, screen: Screen, state: string): Promise<string[]> => {
    await picture(page, `${screen.name}.${state}`);
    return (await axeInBothThemes(page)).map((finding) => `${screen.route}, ${state}: ${finding}`);
  };

  test('shows that it loads, then its data or why there is none, without accessibility findings', async () => {
    const page = await signInWith(['admin'], '/account');
    await loadCode(page);
    const findings: string[] = [];
    const silent: string[] = [];
    for (const screen of screens.filter(({ route }) => !PLAIN.includes(route))) {
      await openAnew(page);
      await db.transaction(async (transaction) => {
        // Nobody reads anything until this transaction ends: the answers are slow.
        await transaction.execute(sql.raw(`lock table ${tables.join(', ')} in access exclusive mode`));
        await open(page, screen.path);
        await busy(page)
          .waitFor({ timeout: 8000 })
          .catch(() => silent.push(`${screen.route} does not say that it loads`));
        findings.push(...(await check(page, screen, 'loading')));
      });
      await busy(page).waitFor({ state: 'detached' });
      await main(page).getByRole('heading', { level: 1 }).waitFor();
      findings.push(...(await check(page, screen, isOfOneObject(screen) ? 'missing' : 'empty')));
    }
    expect([...silent, ...findings]).toEqual([]);
  });

  test('names the role that is missing on every screen that the account may not see', async () => {
    const page = await signInWith([], '/account');
    const findings: string[] = [];
    const silent: string[] = [];
    for (const screen of screens.filter(({ route }) => !OWN.includes(route))) {
      await openScreen(page, screen.path);
      const refusal = main(page)
        .getByText(/needs? (one of )?the roles?|role/i)
        .first();
      await refusal.waitFor({ timeout: 5000 }).catch(async () => {
        silent.push(
          `${screen.route} names no role: ${(await main(page).allTextContents()).join(' ').slice(0, 200)}`,
        );
      });
      findings.push(...(await check(page, screen, 'refused')));
    }
    expect([...silent, ...findings]).toEqual([]);
  });

  test('shows what failed with the id of the request, and recovers when it is tried again', async () => {
    const page = await signInWith(['admin'], '/account');
    await loadCode(page);
    const findings: string[] = [];
    const silent: string[] = [];
    for (const screen of screens.filter(({ route }) => !PLAIN.includes(route))) {
      await openAnew(page);
      await db.execute(sql`alter schema public rename to away`);
      await open(page, screen.path);
      const request = main(page)
        .getByText(/Request \S+/)
        .first();
      await request.waitFor({ timeout: 8000 }).catch(async () => {
        silent.push(
          `${screen.route} shows no request: ${(await main(page).allTextContents()).join(' ').slice(0, 200)}`,
        );
      });
      findings.push(...(await check(page, screen, 'error')));
      await db.execute(sql`alter schema away rename to public`);
    }
    await main(page).getByRole('button', { name: 'Try again' }).first().click();
    await main(page)
      .getByText(/Request \S+/)
      .first()
      .waitFor({ state: 'detached' });
    await close();
    expect([...silent, ...findings]).toEqual([]);
  });
});
