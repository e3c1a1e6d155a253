import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import type { Role } from '#server/kernel/roles.ts';
import { createPerson } from '../people.ts';
import type { openService } from '../service.ts';
import { axeFindings, axeInBothThemes, type BrowserConsole, hasBrowser, openChromium } from './chromium.ts';

export { axeFindings, axeInBothThemes };

type Service = Awaited<ReturnType<typeof openService>>;

/** Tests in a browser; where none is installed they are skipped, and the title says why. */
export const describeInBrowser: typeof describe = (
  hasBrowser
    ? describe
    : (title: string, run: () => void) =>
        describe.skip(`${title} (skipped: install chromium-headless-shell)`, run)
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
 * hears the events of later tests, and draws them.
 */
export async function launchBrowser(urlOf: () => string): Promise<BrowserConsole> {
  const opened = await openChromium(urlOf);
  let before = new Set<BrowserContext>();
  beforeEach(() => {
    before = new Set(opened.browser.contexts());
  });
  afterEach(async () => {
    const own = opened.browser.contexts().filter((context) => !before.has(context));
    await Promise.all(own.map((context) => context.close()));
  });
  afterAll(async () => {
    await opened.browser.close();
    expect(opened.faults).toEqual([]);
  });
  return opened;
}
