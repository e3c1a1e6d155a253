import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, launchBrowser } from '../../helpers/console/browser.ts';
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
  const { newContext } = await launchBrowser(() => url);

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
      const asked = await send(page, '/login/security_key', { username, password });
      expect(asked.status, asked.text).toBe(200);
      const securityKey = await get(page, JSON.parse(asked.text));
      const answer = await send(page, '/login', { username, password, securityKey });
      expect(answer.status, answer.text).toBe(200);
      await page.goto(`${url}/console`);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    },
  );
});
