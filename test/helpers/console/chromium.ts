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

/** The window of a page, in pixels, unless a test wants another one. */
export const VIEWPORT = { width: 1280, height: 800 };

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
  /** Signs an account in and opens a path below /console, in a page that nobody else uses; in `context`, where one is given. */
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
    width = VIEWPORT.width,
    height = VIEWPORT.height,
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
    watch(context, urlOf(), faults);
    await context.addInitScript(
      `document.addEventListener('securitypolicyviolation', (event) => {
        console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI);
      });`,
    );
    return context;
  };
  const signIn: BrowserConsole['signIn'] = async (person, path, context) =>
    signInOn(await (context ?? (await newContext())).newPage(), person, path);
  return { browser, newContext, signIn, faults };
}

/**
 * Signs an account in over HTTP, with the session as a cookie of the page's context, and opens a path below /console: the form
 * has tests of its own, and drawing it before each page costs as much as the page.
 *
 * @returns the page, once it shows its navigation
 * @throws Error when the account may not sign in with its password alone
 */
export async function signInOn(
  page: Page,
  { username, password }: Omit<Person, 'id'>,
  path = '',
): Promise<Page> {
  const answer = await page.context().request.post('/login', { data: { username, password } });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`);
  await page.goto(`/console${path}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}

function watch(context: BrowserContext, origin: string, faults: string[]) {
  context.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(origin)) faults.push(`foreign request: ${url}`);
  });
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`));
  context.on('console', (message) => {
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
 * Returns the findings of axe in the theme that the page has, and those on colours in the other one: all that a theme changes. The
 * page is left in the other theme, because drawing it anew costs as much as the findings.
 *
 * @param within selector of the only part to look at; absent: the whole page
 */
export async function axeInBothThemes(page: Page, within?: string): Promise<string[]> {
  const found = await axeFindings(page, within);
  const isDark = await page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: dark)').matches`);
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
  // Until the whole page is drawn: on a busy machine half of it may be in the previous theme.
  await page.evaluate(DRAWN);
  found.push(...(await findingsOf(page, { type: 'rule', values: ['color-contrast'] }, within)));
  return found;
}

/** Resolves in a page after two drawn frames; text, because the types of a browser are not those of the tests. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

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
