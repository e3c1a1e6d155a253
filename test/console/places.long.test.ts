import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** More rows than a list reads at first. */
const DEVICES = 250;
/** A place on the second page that a list reads, in pixels. */
const PLACE = 5000;

describeInBrowser('the scroll position of a list', async () => {
  const service = await openService();
  const { newContext, signIn } = await openConsole(service);

  beforeAll(async () => {
    const rows = Array.from({ length: DEVICES }, (_, at) => `berth-${at},192.0.2.1,22,cisco_ios`);
    const { inventory } = await service.as('admin');
    await inventory.importCsv({ csv: ['name,host,port,device_type', ...rows].join('\n') });
  });

  const frame = (page: Page) => page.getByRole('region', { name: 'Devices, scrollable' });
  const placeOf = (page: Page) => frame(page).evaluate((element: { scrollTop: number }) => element.scrollTop);
  const openList = async (width = 1280) => {
    const person = await createPerson(service, ['admin']);
    const page = await signIn(person, '/devices', await newContext({ width }));
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`200 of ${DEVICES}`).waitFor();
    await frame(page).evaluate((element: { scrollTop: number }, place) => {
      element.scrollTop = place;
    }, PLACE);
    await expect.poll(() => placeOf(page)).toBe(PLACE);
    return page;
  };
  /** Opens the device in the middle of what the list shows, without scrolling to it. */
  const openEntry = async (page: Page) => {
    await page.evaluate(`(() => {
      const { top, bottom } = document.querySelector('main .table-frame').getBoundingClientRect();
      const middle = [...document.querySelectorAll('main tbody a')]
        .find((link) => link.getBoundingClientRect().top > (top + bottom) / 2);
      middle.click();
    })()`);
    await page.getByRole('navigation', { name: 'About this device' }).waitFor();
  };

  test('is shown at once after Back and Forward, and after Back from a page that was loaded anew', async () => {
    const page = await openList();
    await openEntry(page);
    // Each picture that the browser draws from now on.
    await page.evaluate(`(() => {
      globalThis.seen = [];
      const look = () => {
        const frame = document.querySelector('main [aria-label="Devices, scrollable"]');
        if (frame) seen.push(frame.scrollTop);
        requestAnimationFrame(look);
      };
      look();
    })()`);
    await page.goBack();
    await expect.poll(() => page.evaluate('seen.length')).toBeGreaterThan(5);
    expect(await page.evaluate('[...new Set(seen)]')).toEqual([PLACE]);
    await page.goForward();
    await page.getByRole('navigation', { name: 'About this device' }).waitFor();
    await page.reload();
    await page.getByRole('navigation', { name: 'About this device' }).waitFor();
    await page.goBack();
    await frame(page).waitFor();
    expect(await placeOf(page)).toBe(PLACE);
  });

  test('is shown after a reload, also on a narrow window that was scrolled itself', async () => {
    const page = await openList(390);
    await page.evaluate('scrollTo(0, 150)');
    await expect.poll(() => page.evaluate('scrollY')).toBe(150);
    await page.reload();
    await frame(page).waitFor();
    expect(await placeOf(page)).toBe(PLACE);
    await expect.poll(() => page.evaluate('scrollY')).toBe(150);
  });

  test('is the top for other rows, and the window stays where it is', async () => {
    const page = await openList(390);
    await page.evaluate('scrollTo(0, 150)');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('berth-1');
    await page.getByText('100 of 111').waitFor();
    await expect.poll(() => placeOf(page)).toBe(0);
    expect(await page.evaluate('scrollY')).toBe(150);
  });

  test('is not set for a list that begins at its top, whose first rows are those that fill the window', async () => {
    const context = await newContext();
    // Setting a place, or reading it, lays the page out before it is complete.
    await context.addInitScript(`{
      globalThis.places = 0;
      const { set, get } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop');
      Object.defineProperty(Element.prototype, 'scrollTop', {
        get() { return get.call(this); },
        set(value) { if (this.matches('.table-frame')) places++; set.call(this, value); },
      });
      new MutationObserver((_, observer) => {
        const rows = document.querySelectorAll('main tbody tr').length;
        if (rows === 0) return;
        globalThis.firstRows = rows;
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    }`);
    const page = await signIn(await createPerson(service, ['admin']), '/devices', context);
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(100);
    expect(await page.evaluate('firstRows')).toBe(Math.ceil(800 / 36));
    expect(await page.evaluate('places')).toBe(0);
  });
});
