import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, Change } from 'ldapts';
import { expect, test } from 'vitest';
import { openBrowser } from '../../helpers/identity/browser.ts';
import { openOidcServer } from '../../helpers/identity/oidc-server.ts';
import { BASE, openDirectory, ROOT, slapdMissing } from '../../helpers/identity/slapd.ts';
import { sendAs } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

/** Two people: one is granted a role while the other loses it, so that both are measured in the same minute. */
const PEOPLE = ['ada', 'bob'] as const;
type Name = (typeof PEOPLE)[number];
const dnOf = (name: Name) => `uid=${name},ou=people,${BASE}`;
const ENTRIES = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`,
  `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups\n`,
  ...PEOPLE.map(
    (name) =>
      `dn: ${dnOf(name)}\nobjectClass: inetOrgPerson\nuid: ${name}\ncn: ${name}\nsn: ${name}\nuserPassword: pass of ${name}\n`,
  ),
  ...['operators', 'readers'].map(
    (cn) =>
      `dn: cn=${cn},ou=groups,${BASE}\nobjectClass: groupOfNames\ncn: ${cn}\n${PEOPLE.map((name) => `member: ${dnOf(name)}\n`).join('')}`,
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

    const setGroups = async (name: Name, isAdmin: boolean) => {
      oidc.users.set(name, { name, groups: ['operators', 'readers', ...(isAdmin ? ['admins'] : [])] });
      await directory.change((connection) =>
        connection.modify(`cn=admins,ou=groups,${BASE}`, [
          new Change({
            operation: isAdmin ? 'add' : 'delete',
            modification: new Attribute({ type: 'member', values: [dnOf(name)] }),
          }),
        ]),
      );
    };
    const signIn = {
      oidc: async (name: Name) => {
        oidc.user.current = name;
        const browser = openBrowser();
        await browser.visit(`${service.url}/sign_in/oidc/${oidcId}/start?returnTo=%2Fjobs`, {
          until: (url) => url.origin === service.url && !url.pathname.startsWith('/sign_in/'),
        });
        return browser.cookies.get(`${service.url} token`)?.value ?? '';
      },
      ldap: async (username: Name) =>
        (await service.send(null, 'POST', '/login', { username, password: `pass of ${username}` })).text,
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

    oidc.users.set('ada', { name: 'ada', groups: ['operators', 'readers'] });
    await setGroups('bob', true);
    const signedIn = async (name: Name) => [await signIn.oidc(name), await signIn.ldap(name)];
    const tokens = { ada: await signedIn('ada'), bob: await signedIn('bob') };
    for (const token of tokens.ada) expect(await isAdmin(token)).toBe(false);
    for (const token of tokens.bob) expect(await isAdmin(token)).toBe(true);
    await setGroups('ada', true);
    await setGroups('bob', false);
    const [granted, withdrawn] = await Promise.all([
      secondsUntil(tokens.ada, true),
      secondsUntil(tokens.bob, false),
    ]);
    process.stdout.write(
      `granted after ${granted.map(Math.round)} s, withdrawn after ${withdrawn.map(Math.round)} s\n`,
    );
    for (const seconds of [...granted, ...withdrawn]) expect(seconds).toBeLessThanOrEqual(60);

    for (const token of tokens.bob) {
      expect((await sendAs(service, token, 'POST', '/logout')).status).toBeLessThan(300);
      expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
    }
    await setGroups('bob', true);
    for (const token of await signedIn('bob')) expect(await isAdmin(token)).toBe(true);
  },
  300_000,
);
