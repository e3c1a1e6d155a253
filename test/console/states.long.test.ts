import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { allScreens, isOfOneObject, loadCode, lookAt, openScreen } from '../helpers/console/screens.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';

/** Screens that need nothing of the server to show themselves: a menu of others, and a form. */
const PLAIN = ['/admin', '/inventory/import'];
/** SQLSTATE of a lock that another transaction holds. */
const LOCK_NOT_AVAILABLE = '55P03';
/** More panels than any screen has. */
const MOST_PANELS = 12;

describeInBrowser('every screen', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const screens = (await allScreens()).filter(({ route }) => !PLAIN.includes(route));
  const { db, close } = openDatabase({ connection: service.connection, max: 1, statementTimeoutMs: 0 });
  afterAll(close);
  const tables = await rows<{ name: string }>(
    db,
    sql`select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const lock = sql.raw(
    `lock table ${tables.map(({ name }) => name).join(', ')} in access exclusive mode nowait`,
  );

  /**
   * Locks every table, does something while all requests wait, and fails them: the tables are gone when the locks end.
   * Statements that still run keep their locks, and nothing is held meanwhile, so that neither waits for the other.
   */
  const failAfter = (work: () => Promise<void>) =>
    db.transaction(async (transaction) => {
      await until('no statement runs', () =>
        transaction
          .transaction((attempt) => attempt.execute(lock))
          .catch((error: Error & { cause?: { code?: string } }) => {
            if (error.cause?.code !== LOCK_NOT_AVAILABLE) throw error;
            return undefined;
          }),
      );
      await work();
      await transaction.execute(sql`alter schema public rename to away`);
    });
  const main = (page: Page) => page.locator('main');
  const isIdle = (page: Page) =>
    main(page).locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });

  /** Tries everything again that could not be loaded, as often as there are panels. */
  const tryAgain = async (page: Page) => {
    const failed = main(page).getByRole('alert').filter({ hasText: 'This could not be loaded' });
    for (let tries = 0; tries < MOST_PANELS && (await failed.count()) > 0; tries++) {
      const answered = page.waitForResponse(/\/trpc\//);
      await failed.first().getByRole('button', { name: 'Try again' }).click();
      await answered;
      await isIdle(page);
    }
    return failed.count();
  };

  let page: Page;
  beforeAll(async () => {
    page = await signInWith(['admin'], '/account');
    await loadCode(page);
  });
  // Where a screen failed halfway, the next one has its tables nevertheless.
  afterEach(() =>
    db.execute(sql`do $$ begin
      if to_regnamespace('away') is not null then alter schema away rename to public; end if;
    end $$`),
  );

  test.each(screens)(
    '$route shows that it loads, what failed with the id of the request, and after another try its data or why there is none',
    async (screen) => {
      const { path } = screen;
      const findings: string[] = [];
      // Anew, so that nothing is in the memory of the console.
      await page.goto('/console/no-such-page');
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await failAfter(async () => {
        await openScreen(page, path);
        await main(page).locator('[aria-busy="true"]').first().waitFor();
        findings.push(...(await lookAt(page, screen, 'loading')));
      });
      await main(page)
        .getByText(/Request \S+/)
        .first()
        .waitFor();
      await isIdle(page);
      findings.push(...(await lookAt(page, screen, 'error')));
      await db.execute(sql`alter schema away rename to public`);
      expect(await tryAgain(page), 'panels that do not recover when they are tried again').toBe(0);
      await main(page).getByRole('heading', { level: 1 }).waitFor();
      findings.push(...(await lookAt(page, screen, isOfOneObject(screen) ? 'missing' : 'empty')));
      expect(findings).toEqual([]);
    },
  );
});
