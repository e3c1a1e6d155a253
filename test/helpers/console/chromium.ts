import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { buildConsole } from '../../../web/build.mjs';
import type { Person } from '../people.ts';

/** The same engine without the windows of a browser goes first: those cost as much CPU time as the pages in them. */
const EXECUTABLE = [
  process.env.CHROMIUM,
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** Whether this machine has a browser; Debian's packages are `chromium-headless-shell` and `chromium`. */
export const hasBrowser = EXECUTABLE !== undefined;

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A browser on the console. */
export type BrowserConsole = {
  browser: Browser;
  /** Opens a context of its own: cookies and storage are not shared with others. */
  newContext: (options?: {
    colorScheme?: 'light' | 'dark';
    width?: number;
    height?: number;
    /** The cookies of another context, whose session this one then has. */
    state?: Awaited<ReturnType<BrowserContext['storageState']>>;
  }) => Promise<BrowserContext>;
  /** Signs an account in through the form and opens a path below /console. */
  signIn: (person: Omit<Person, 'id'>, path?: string, context?: BrowserContext) => Promise<Page>;
  /** What pages did that none may do: violations of the content policy, requests to other origins, uncaught errors. */
  faults: string[];
};

/**
 * Starts a browser on a service whose address may change: contexts use the address of the time when they are opened.
 * The caller closes the browser, and looks at `faults`.
 */
export async function openChromium(urlOf: () => string): Promise<BrowserConsole> {
  await buildConsole();
  const browser = await chromium.launch({
    ...(EXECUTABLE && { executablePath: EXECUTABLE }),
    // Names below `.test` are those of this machine, though addresses that the browser does not trust.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
  const faults: string[] = [];
  const newContext: BrowserConsole['newContext'] = async ({
    colorScheme = 'light',
    width = 1280,
    height = 800,
    state,
  } = {}) => {
    const context = await browser.newContext({
      baseURL: urlOf(),
      viewport: { width, height },
      colorScheme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      acceptDownloads: true,
      ...(state && { storageState: state }),
    });
    context.setDefaultTimeout(30_000);
    context.on('page', (page) => watch(page, urlOf(), faults));
    await context.addInitScript(
      `document.addEventListener('securitypolicyviolation', (event) => {
        console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI);
      });`,
    );
    return context;
  };
  const signIn: BrowserConsole['signIn'] = async ({ username, password }, path = '', context) => {
    const page = await (context ?? (await newContext())).newPage();
    await page.goto(`/console${path}`);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    return page;
  };
  return { browser, newContext, signIn, faults };
}

function watch(page: Page, origin: string, faults: string[]) {
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(origin)) faults.push(`foreign request: ${url}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // What a page throws while it is drawn is caught by the router, and logged.
    const isFault = /policy violation|^\w*Error: /.test(message.text());
    if (isFault) faults.push(message.text());
  });
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * Returns the findings of axe (WCAG 2.0 to 2.2, A and AA) on the current page, one line each.
 *
 * @param within selector of the only part to look at; absent: the whole page
 */
export const axeFindings = (page: Page, within?: string): Promise<string[]> =>
  findingsOf(page, { type: 'tag', values: WCAG }, within);

/**
 * Returns the findings of axe in the light theme, and those on colours in the dark one: all that a theme changes. The page
 * is left in the light theme.
 *
 * @param within selector of the only part to look at; absent: the whole page
 */
export async function axeInBothThemes(page: Page, within?: string): Promise<string[]> {
  await drawIn(page, 'light');
  const found = await axeFindings(page, within);
  await drawIn(page, 'dark');
  found.push(...(await findingsOf(page, { type: 'rule', values: ['color-contrast'] }, within)));
  await drawIn(page, 'light');
  return found;
}

/** Resolves in a page after two drawn frames; text, because the types of a browser are not those of the tests. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

/** Asks for a theme and waits until the whole page is drawn in it: on a busy machine half of it may be in the other. */
async function drawIn(page: Page, colorScheme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(DRAWN);
}

let axeSource: string | undefined;

async function findingsOf(
  page: Page,
  runOnly: { type: 'tag' | 'rule'; values: string[] },
  within?: string,
): Promise<string[]> {
  axeSource ??= await readFile(AXE, 'utf8');
  // Evaluated by the debugger, so that the content security policy of the page does not forbid it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(
    async ([selector, options]) => {
      type Axe = {
        run: (
          context: object | string,
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
      const { axe, document } = globalThis as unknown as { axe: Axe; document: object };
      const { violations } = await axe.run(selector ?? document, options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 150)} ${failureSummary.replaceAll('\n', ' ')}`,
        ),
      );
    },
    // Style sheets are not read a second time, and what passes is not described: no rule that runs here needs them.
    [within, { runOnly, resultTypes: ['violations'], preload: false }] as const,
  );
}
