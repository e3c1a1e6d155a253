import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { axeInBothThemes } from './chromium.ts';
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

/**
 * Opens a screen within the console, as a link does, from a page without content: nothing of an earlier screen is left when it
 * resolves.
 */
export async function openScreen(page: Page, path: string): Promise<void> {
  const nothing = page.getByRole('heading', { level: 1, name: 'Page not found' });
  await page.evaluate(`history.pushState({}, '', '/console/no-such-page')`);
  await nothing.waitFor();
  await page.evaluate(`history.pushState({}, '', '/console${path}')`);
  await nothing.waitFor({ state: 'detached' });
}

/** Loads the code of all screens into the cache of the browser: from then on only data can be slow, or missing. */
export async function loadCode(page: Page): Promise<void> {
  const names = (await readdir('web/dist/assets')).filter((name) => /\.(js|css)$/.test(name));
  const urls = JSON.stringify(names.map((name) => `/console/assets/${name}`));
  await page.evaluate(`Promise.all(${urls}.map(async (url) => (await fetch(url)).arrayBuffer()))`);
}

/**
 * Takes a picture of a screen in one of its states, and returns its accessibility findings in both themes. What surrounds
 * every screen is looked at with its data alone: it is the same in all states.
 *
 * @param state `loading`, `error`, `refused`, `empty` or `missing`
 */
export async function lookAt(page: Page, screen: Screen, state: string): Promise<string[]> {
  await picture(page, `${screen.name}.${state}`);
  const within = ['empty', 'missing'].includes(state) ? undefined : 'main';
  return (await axeInBothThemes(page, within)).map((finding) => `${screen.route}, ${state}: ${finding}`);
}
