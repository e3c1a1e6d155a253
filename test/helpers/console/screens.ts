import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { axeFindings, axeInBothThemes } from './chromium.ts';
import { picture } from './pictures.ts';

/** A screen of the console: its path below /console, and what its empty form says; no id of its path names an object. */
export type Screen = { name: string; path: string; route: string };

/** The id of an object that does not exist. */
const NOBODY = '65f0c1d2e3a4b5c6d7e8f901';

/** Every page of the console, as its routes name them; pages of single objects are those of an object that does not exist. */
export async function allScreens(): Promise<Screen[]> {
  const routes: string[] = [];
  for (const area of await readdir('web/src/screens')) {
    const text = await readFile(`web/src/screens/${area}/routes.ts`, 'utf8').catch(() => '');
    routes.push(...[...text.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path));
  }
  return routes.sort().map((route) => {
    const path = route.replace(/\$\w+/g, NOBODY);
    return { route, path, name: route.slice(1).replaceAll(/\W+/g, '-') };
  });
}

/** Whether a page shows one object. */
export const isOfOneObject = ({ route }: Screen): boolean => route.includes('$');

const TRIES = 5;

/**
 * Opens a screen within the console, as a link does, from a page without content: nothing of an earlier screen is left when it
 * resolves.
 */
export async function openScreen(page: Page, path: string): Promise<void> {
  const nothing = page.getByRole('heading', { level: 1, name: 'Page not found' });
  const isEmpty = () =>
    nothing.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    );
  // A form that was sent opens a page of its own, at times a moment after this one was asked for.
  for (let tries = 0; tries < TRIES; tries += 1) {
    await page.evaluate(`history.pushState({}, '', '/console/no-such-page')`);
    if (await isEmpty()) break;
  }
  await page.evaluate(`history.pushState({}, '', '/console${path}')`);
  await nothing.waitFor({ state: 'detached' });
}

/** Loads the code of all screens into the cache of the browser: from then on only data can be slow, or missing. */
export async function loadCode(page: Page): Promise<void> {
  const names = (await readdir('web/dist/assets')).filter((name) => /\.(js|css)$/.test(name));
  const urls = JSON.stringify(names.map((name) => `/console/assets/${name}`));
  await page.evaluate(`Promise.all(${urls}.map(async (url) => (await fetch(url)).arrayBuffer()))`);
}

/** States in which a screen shows its content and what surrounds it; in the others its content is of the same few parts. */
const WHOLE = ['empty', 'missing'];

/**
 * Takes a picture of a screen in one of its states, and returns its accessibility findings: in both themes when it has
 * loaded, otherwise of its content in the theme that the page has. That theme is another one for the next screen, because a look at both
 * leaves the page in the second one.
 *
 * @param state `loading`, `error`, `refused`, `empty` or `missing`
 */
export async function lookAt(page: Page, screen: Screen, state: string): Promise<string[]> {
  await picture(page, `${screen.name}.${state}`);
  const findings = WHOLE.includes(state) ? axeInBothThemes(page) : axeFindings(page, 'main');
  return (await findings).map((finding) => `${screen.route}, ${state}: ${finding}`);
}
