import { type BrowserContext, errors, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#server/kernel/roles.ts';
import { createPerson } from '../people.ts';
import type { openService } from '../service.ts';
import {
  axeFindings,
  axeInBothThemes,
  type BrowserConsole,
  hasBrowser,
  openChromium,
  signInOn,
  VIEWPORT,
} from './chromium.ts';

export { axeFindings, axeInBothThemes };

type Service = Awaited<ReturnType<typeof openService>>;

/**
 * Tests in a browser; where none is installed they are skipped, and the title says why. They are not collected either:
 * that would start their service and the browser.
 */
export const describeInBrowser: typeof describe = (
  hasBrowser
    ? describe
    : (title: string) => test.skip(`${title} (skipped: install chromium-headless-shell)`, () => undefined)
) as typeof describe;

type Console = BrowserConsole & {
  /** Creates an account with these roles and signs it in. */
  signInWith: (roles: readonly (Role | string)[], path?: string) => Promise<Page>;
};

/**
 * A browser on the console of a service. When the file ends, the browser is closed and no page may have violated the
 * content security policy, asked another origin for anything, or thrown.
 */
export async function openConsole(service: Service): Promise<Console> {
  const opened = await launchBrowser(() => service.url);
  return {
    ...opened,
    signInWith: async (roles, path) => opened.signIn(await createPerson(service, roles), path),
  };
}

/**
 * A browser on a service whose address may change: contexts use the address of the time when they are opened. It is closed
 * after the file, and its pages may have had no fault. What a test opened is closed after it: a page that is left open
 * hears the events of later tests, and draws them. Pages of `signIn` are signed out instead, and serve later tests: a page
 * of its own is a process of its own, which reads and compiles the console anew, for twice the CPU time.
 */
export async function launchBrowser(urlOf: () => string): Promise<BrowserConsole> {
  const opened = await openChromium(urlOf);
  const idle = new Set<Page>();
  const used = new Set<Page>();
  let before = new Set<BrowserContext>();
  const signIn: BrowserConsole['signIn'] = async (person, path, context) => {
    if (context) return opened.signIn(person, path, context);
    const page = [...idle][0] ?? (await (await opened.newContext()).newPage());
    idle.delete(page);
    used.add(page);
    return signInOn(page, person, path);
  };
  beforeEach(() => {
    before = new Set(opened.browser.contexts());
    // What was opened before the first test stays for all of them.
    used.clear();
  });
  afterEach(async ({ task }) => {
    const own = new Set(opened.browser.contexts().filter((context) => !before.has(context)));
    for (const page of used) own.add(page.context());
    for (const page of used) {
      // A test that ran out of time may still act on its pages.
      if (task.result?.state === 'fail' || !(await becomesIdle(page, urlOf()))) continue;
      idle.add(page);
      own.delete(page.context());
    }
    await Promise.all([...own].map((context) => context.close()));
  });
  afterAll(async () => {
    await opened.browser.close();
    expect(opened.faults).toEqual([]);
  });
  return { ...opened, signIn };
}

/** A path of the service that answers anybody, with a text. */
const TEXT = '/health/status';

/**
 * Signs a page out and removes what a test left in it. The browser keeps only the compiled code of the console.
 *
 * @returns whether it is; else its context has to be closed
 */
async function becomesIdle(page: Page, url: string): Promise<boolean> {
  if (page.isClosed()) return false;
  page.removeAllListeners();
  const context = page.context();
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await Promise.all(
      context
        .pages()
        .filter((one) => one !== page)
        .map((one) => one.close()),
    );
    // The console stores where it was scrolled when its page is left.
    await page.goto(`${url}${TEXT}`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear();');
    await context.clearCookies();
    await page.setViewportSize(VIEWPORT);
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
    return true;
  } catch {
    // Its service was stopped, or its page is lost.
    return false;
  }
}

/**
 * Takes the session of a page away.
 *
 * @param act makes the page ask the service. What the page reads by itself may be rejected before, and the dialog then covers
 *   the element: `act` gives up soon
 * @returns the dialog that asks for the password
 */
export async function loseSession(
  page: Page,
  act: (options: { timeout: number }) => Promise<void>,
): Promise<Locator> {
  await page.context().clearCookies();
  await act({ timeout: 3000 }).catch((error) => {
    if (!(error instanceof errors.TimeoutError)) throw error;
  });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  return dialog;
}
