import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { createPerson } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

/** How long after the last action of its user a page calls its requests background, in milliseconds. */
const IDLE_MS = 10_000;

describeInBrowser('a page whose user does nothing', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);

  test('reads again after an event without extending the session, and extends it again when its user acts', async () => {
    const page = await signInWith(['admin'], '/devices');
    await page.getByRole('heading', { name: 'There are no devices yet' }).waitFor();
    const search = (isBackground: boolean) =>
      page.waitForRequest(
        (request) =>
          request.url().includes('searchDevices') &&
          (request.headers()['x-background'] === '1') === isBackground,
      );
    await sleep(IDLE_MS + 500);
    const readAgain = search(true);
    const answer = await service.send('admin', 'POST', '/configuration_manager/import/backups', {
      backups: [{ name: 'first', rawConfig: 'hostname first\n', provider: 'gateway', type: 'native' }],
    });
    expect(answer.status, answer.text).toBe(200);
    await readAgain;
    const read = search(false);
    await page.keyboard.press('/');
    await page.keyboard.type('edge');
    await read;
  });

  test('asks to sign in again as soon as its session has ended', async () => {
    const person = await createPerson(service, ['admin']);
    const page = await signIn(person, '/devices');
    await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
    const ended = await service.send('admin', 'POST', `/authorization/accounts/${person.id}/forceLogout`, {});
    expect(ended.status, ended.text).toBe(200);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  });

  test('names the roles that an area needs as the service does', async () => {
    const page = await signInWith(['apiread'], '/commands');
    const { audience } =
      service.platform.catalogue.find(({ name }) => name === 'mop.runCommandDevices') ?? {};
    await page
      .getByText(`Needs one of the roles: ${[audience].flat().join(', ')}`, { exact: true })
      .waitFor();
  });
});
