import { expect, test } from 'vitest';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { picture } from '../../helpers/console/pictures.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { type Four, newReport } from '../../helpers/documents/reports.ts';
import { createPerson } from '../../helpers/people.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS = 40;

/** Runs in the page, before it is loaded: notes the dashes of lines and the colours of points that are drawn. */
const NOTE_DRAWN = `(() => {
  window.drawn = { dashes: [], points: [] };
  const { setLineDash, fill } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
    if (dash.length > 0) window.drawn.dashes.push(dash.map((one) => one / devicePixelRatio).join(' '));
    return setLineDash.call(this, dash);
  };
  CanvasRenderingContext2D.prototype.fill = function (...path) {
    if (path[0] instanceof Path2D) window.drawn.points.push(this.fillStyle);
    return fill.apply(this, path);
  };
})()`;

describeInBrowser('the trend of compliance', async () => {
  const fleet = await openFleet();
  const service = { ...fleet, send: fleet.service };
  const { newContext, signIn } = await openConsole(service);

  test('tells its lines apart by dashes and the shape of their points, and its legend shows both', async () => {
    const { id: treeId, place } = await fleet.tree('hostname edge\n');
    const devices = ['edge-1', 'edge-2', 'edge-3', 'edge-4', 'edge-5'];
    await place('base', devices);
    const gradeOn = (day: number, device: number): Four => {
      if ((day + device) % 3 === 0) return [0, 0, 0, 10];
      return device < 2 + (day % 3) ? [6, 0, 0, 4] : [0, 4, 0, 6];
    };
    const reports = Array.from({ length: DAYS }, (_, day) =>
      devices.map((deviceName, device) =>
        newReport({
          treeId,
          deviceName,
          timestamp: new Date(Date.now() - day * DAY_MS),
          totals: gradeOn(day, device),
        }),
      ),
    ).flat();
    await storeReports(fleet.db, reports);

    const context = await newContext();
    await context.addInitScript(NOTE_DRAWN);
    // A browser in Arabic: the numbers of the page are those of its text, which is English.
    await context.addInitScript(`Object.defineProperty(navigator, 'language', { get: () => 'ar-EG' });`);
    const page = await signIn(
      await createPerson(service, ['apiread']),
      `/compliance?tree=${treeId}`,
      context,
    );
    await page.getByRole('img', { name: `Trend of ${DAYS} days` }).waitFor();
    const markers = page.locator('.trend .u-legend .u-marker svg');
    await expect.poll(() => markers.count()).toBe(4);
    expect(await page.locator('.trend .u-legend').textContent()).toMatch(/Pass:?\s*\d/);
    const legend = await markers.evaluateAll((found) =>
      (found as unknown as { children: { getAttribute: (name: string) => string }[] }[]).map(
        ({ children: [line, point] }) => [line?.getAttribute('stroke-dasharray'), point?.getAttribute('d')],
      ),
    );
    const [dashes, shapes] = [legend.map(([dash]) => dash), legend.map(([, shape]) => shape)];
    expect(new Set(dashes).size).toBe(4);
    expect(new Set(shapes).size).toBe(4);
    const drawn = await page.evaluate<{ dashes: string[]; points: string[] }>('drawn');
    expect([...new Set(drawn.dashes)].sort()).toEqual(dashes.filter(Boolean).sort());
    expect(new Set(drawn.points).size).toBe(4);
    await page.getByRole('img', { name: /^Trend/ }).scrollIntoViewIfNeeded();
    await picture(page, 'compliance-trend');
    expect(await axeInBothThemes(page)).toEqual([]);

    // The table of devices stays where it is when the code of the chart and the issues arrive last.
    const slow = await newContext({ state: await context.storageState() });
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    for (const late of ['**/*trend-chart*', '**/trpc/configurationManager.listTopIssues*'])
      await slow.route(late, async (route) => {
        await arrival;
        await route.continue();
      });
    const early = await slow.newPage();
    await early.goto(`/console/compliance?tree=${treeId}`);
    await early.getByText('Loading the chart').waitFor();
    const busy = early.locator('main [aria-busy="true"]');
    await expect.poll(() => busy.count()).toBe(2);
    const heading = early.getByRole('heading', { name: 'Devices by rules' });
    const before = await heading.boundingBox();
    arrive();
    await early.getByRole('img', { name: `Trend of ${DAYS} days` }).waitFor();
    await expect.poll(() => busy.count()).toBe(0);
    expect((await heading.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
  });
});
