import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, launchBrowser } from '../../helpers/console/browser.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

type Options = { options: Record<string, unknown> };

/** A request of the page itself, with its cookies. */
const send = (page: Page, path: string, body: unknown) =>
  page.evaluate(
    async ({ path, body }) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      const text = await answer.text();
      return { status: answer.status, text };
    },
    { path, body },
  );

/** The answer of the browser's authenticator, as a page would send it: the tests know no types of browsers. */
const create = (page: Page, { options }: Options): Promise<unknown> =>
  page.evaluate(`navigator.credentials
    .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
    .then((made) => made.toJSON())`);

const get = (page: Page, { options }: Options): Promise<unknown> =>
  page.evaluate(`navigator.credentials
    .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
    .then((made) => made.toJSON())`);

describeInBrowser('security keys in a browser', async () => {
  const service = await openService();
  // Browsers allow keys at localhost without TLS, and not at an address.
  const url = `http://localhost:${service.port}`;
  const { newContext, signIn } = await launchBrowser(() => url);

  test.each(['ctap2', 'u2f'] as const)(
    'an authenticator of the protocol %s is registered and used for signing in by a real browser',
    async (protocol) => {
      const person = await createPerson(service, ['apiread']);
      const { username, password } = person;
      const context = await newContext();
      const page = await context.newPage();
      await page.goto(`${url}/console`);
      const session = await context.newCDPSession(page);
      await session.send('WebAuthn.enable');
      await session.send('WebAuthn.addVirtualAuthenticator', {
        options: { protocol, transport: 'usb', automaticPresenceSimulation: true },
      });
      expect((await send(page, '/login', { username, password })).status).toBe(200);
      const begun = await send(page, '/user/security_keys', { password });
      expect(begun.status, begun.text).toBe(200);
      const credential = await create(page, JSON.parse(begun.text));
      const confirmed = await send(page, '/user/security_keys/confirm', { name: 'Virtual', credential });
      expect(confirmed.status, confirmed.text).toBe(200);
      await send(page, '/logout', {});
      const denied = await send(page, '/login', { username, password });
      expect(denied.status).toBe(401);
      const requested = await send(page, '/login/security_key', { username, password });
      expect(requested.status, requested.text).toBe(200);
      const securityKey = await get(page, JSON.parse(requested.text));
      const answer = await send(page, '/login', { username, password, securityKey });
      expect(answer.status, answer.text).toBe(200);
      await page.goto(`${url}/console`);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    },
  );

  test('a key is added on the page of the account, signs in, and is renamed and removed there', async () => {
    const person = await createPerson(service, ['apiread']);
    const context = await newContext();
    const page = await signIn(person, '/account', context);
    const session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
    });
    const section = page.getByRole('region', { name: 'Second factor' });
    await section.getByText('You have none.').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await section.getByRole('button', { name: 'Add security key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add security key' });
    await dialog.getByLabel('Name of the key').fill('Blue key');
    await dialog.getByLabel('Your password').fill(person.password);
    await dialog.getByRole('button', { name: 'Register the key' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    const table = section.getByRole('table', { name: 'Security keys' });
    await table.getByRole('row', { name: /Blue key localhost/ }).waitFor();
    await section.getByText('signing in needs a second factor').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await table.getByRole('button', { name: 'Actions of Blue key' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name of the key').fill('Desk key');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await table.getByText('Desk key').waitFor();

    // The virtual authenticator belongs to this page: it signs in here again.
    await page.getByRole('button', { name: new RegExp(person.username) }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Username').fill(person.username);
    await page.getByLabel('Password').fill(person.password);
    await page.keyboard.press('Enter');
    const useKey = page.getByRole('button', { name: 'Use a security key' });
    await useKey.waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await useKey.click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await page.goto(`${url}/console/account`);
    await table.getByRole('button', { name: 'Actions of Desk key' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const remove = page.getByRole('dialog', { name: 'Remove security key' });
    await remove.getByLabel('Your password').fill(person.password);
    // Without a code the browser asks for the key.
    await remove.getByRole('button', { name: 'Remove the key' }).click();
    await section.getByText('signing in needs only the password').waitFor();
  });
});
