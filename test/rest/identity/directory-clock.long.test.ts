import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, Change } from 'ldapts';
import { expect, test } from 'vitest';
import { openBrowser } from '../../helpers/identity/browser.ts';
import { openOidcServer } from '../../helpers/identity/oidc-server.ts';
import { BASE, openDirectory, ROOT, slapdMissing } from '../../helpers/identity/slapd.ts';
import { sendAs } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const USER = `uid=ada,ou=people,${BASE}`;
const ENTRIES = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`,
  `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups\n`,
  `dn: ${USER}\nobjectClass: inetOrgPerson\nuid: ada\ncn: Ada\nsn: Ada\nuserPassword: pass of ada\n`,
  ...['operators', 'readers'].map(
    (cn) => `dn: cn=${cn},ou=groups,${BASE}\nobjectClass: groupOfNames\ncn: ${cn}\nmember: ${USER}\n`,
  ),
  `dn: cn=admins,ou=groups,${BASE}\nobjectClass: groupOfNames\ncn: admins\nmember: ${ROOT.dn}\n`,
].join('\n');
const mapping = [
  { group: 'operators', roles: ['engineering'] },
  { group: 'readers', roles: ['apiread'] },
  { group: 'admins', roles: ['admin'] },
];

test.skipIf(slapdMissing !== null)(
  `roles that change in a directory take effect within one minute of the clock, and at the first request after a new sign-in, over OpenID Connect and LDAP${slapdMissing ? ` (skipped: ${slapdMissing})` : ''}`,
  async () => {
    const service = await openService();
    const provider = async (given: object) => {
      const made = await service.send('admin', 'POST', '/sign_in/providers', {
        provider: { mapping, ...given },
      });
      expect(made.status, made.text).toBe(200);
      return (made.json as { data: { _id: string } }).data._id;
    };
    const oidc = await openOidcServer();
    const client = { issuer: oidc.issuer, clientId: 'switchyard', clientSecret: 'lantern-quarry-46' };
    const oidcId = await provider({ name: 'oidc', type: 'oidc', oidc: client });
    oidc.start(service.url, oidcId);
    const directory = await openDirectory(ENTRIES);
    await provider({
      name: 'ldap',
      type: 'ldap',
      ldap: {
        url: directory.ldaps,
        ca: directory.ca,
        bindDn: ROOT.dn,
        bindPassword: ROOT.password,
        userBase: `ou=people,${BASE}`,
        groupBase: `ou=groups,${BASE}`,
      },
    });

    const setGroups = async (isAdmin: boolean) => {
      oidc.users.set('u-1', {
        name: 'ada',
        groups: ['operators', 'readers', ...(isAdmin ? ['admins'] : [])],
      });
      await directory.change((connection) =>
        connection.modify(`cn=admins,ou=groups,${BASE}`, [
          new Change({
            operation: isAdmin ? 'add' : 'delete',
            modification: new Attribute({ type: 'member', values: [USER] }),
          }),
        ]),
      );
    };
    const signIn = {
      oidc: async () => {
        oidc.user.current = 'u-1';
        const browser = openBrowser();
        await browser.visit(`${service.url}/sign_in/oidc/${oidcId}/start?returnTo=%2Fjobs`, {
          until: (url) => url.origin === service.url && !url.pathname.startsWith('/sign_in/'),
        });
        return browser.cookies.get(`${service.url} token`)?.value ?? '';
      },
      ldap: async () =>
        (await service.send(null, 'POST', '/login', { username: 'ada', password: 'pass of ada' })).text,
    };
    const isAdmin = async (token: string) => {
      const answer = await sendAs(service, token, 'GET', '/whoami');
      expect(answer.status, answer.text).toBe(200);
      return (answer.json as { roles: string[] }).roles.includes('admin');
    };
    /** Returns the seconds until the sessions have, or have lost, the role; both are used once a second. */
    const secondsUntil = (tokens: readonly string[], expected: boolean) => {
      const began = performance.now();
      return Promise.all(
        tokens.map(async (token) => {
          while ((await isAdmin(token)) !== expected) {
            if (performance.now() - began > 90_000) break;
            await sleep(1000);
          }
          return (performance.now() - began) / 1000;
        }),
      );
    };

    oidc.users.set('u-1', { name: 'ada', groups: ['operators', 'readers'] });
    const tokens = [await signIn.oidc(), await signIn.ldap()];
    for (const token of tokens) expect(await isAdmin(token)).toBe(false);
    await setGroups(true);
    const granted = await secondsUntil(tokens, true);
    await setGroups(false);
    const withdrawn = await secondsUntil(tokens, false);
    process.stdout.write(
      `granted after ${granted.map(Math.round)} s, withdrawn after ${withdrawn.map(Math.round)} s\n`,
    );
    for (const seconds of [...granted, ...withdrawn]) expect(seconds).toBeLessThanOrEqual(60);

    for (const token of tokens) {
      expect((await sendAs(service, token, 'POST', '/logout')).status).toBeLessThan(300);
      expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
    }
    await setGroups(true);
    expect(await isAdmin(await signIn.oidc())).toBe(true);
    expect(await isAdmin(await signIn.ldap())).toBe(true);
  },
  300_000,
);
