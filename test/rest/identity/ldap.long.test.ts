import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { Attribute, Change } from 'ldapts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openLdap } from '#server/southbound/ldap/ldap.ts';
import { BASE, openDirectory, ROOT, slapdMissing } from '../../helpers/identity/slapd.ts';
import { basic, createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const person = (uid: string, cn = uid) => `dn: uid=${uid},ou=people,${BASE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${cn}
sn: ${cn}
mail: ${uid}@example.net
userPassword: pass of ${uid}
`;
const group = (cn: string, ...members: string[]) => `dn: cn=${cn},ou=groups,${BASE}
objectClass: groupOfNames
cn: ${cn}
${members.map((member) => `member: ${member}`).join('\n')}
`;
/** An identifier of Active Directory (MS-DTYP 2.4.2) in base64: a domain, and the number of the user or group in it. */
const sid = (number: number) => {
  const parts = Buffer.alloc(20);
  for (const [at, part] of [21, 1, 2, 3, number].entries()) parts.writeUInt32LE(part, at * 4);
  return Buffer.concat([Buffer.from([1, 5, 0, 0, 0, 0, 0, 5]), parts]).toString('base64');
};
const principal = (entry: string, number: number) =>
  `${entry}objectClass: principal\nobjectSid:: ${sid(number)}\n`;
const user = (uid: string) => `uid=${uid},ou=people,${BASE}`;
const groupDn = (cn: string) => `cn=${cn},ou=groups,${BASE}`;
const PARENTS = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n`,
  `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups\n`,
];
const ENTRIES = [
  ...PARENTS,
  ...['ada', 'bob', 'eve', 'kim', 'admin', 'gone'].map((uid) => person(uid)),
  // The primary group does not list its user.
  `${principal(person('pam'), 1105)}primaryGroupID: 513\n`,
  principal(group('staff', ROOT.dn), 513),
  principal(group('guests', ROOT.dn), 514),
  group('routers', user('ada'), user('gone'), user('admin')),
  group('night-shift', user('kim')),
  // Groups within groups, in a circle.
  group('shifts', groupDn('night-shift'), groupDn('network-ops'), groupDn('staff')),
  group('network-ops', groupDn('routers'), groupDn('shifts')),
  group('directors', user('eve')),
].join('\n');

describe.skipIf(slapdMissing !== null)(
  `sign-in with a real directory (${slapdMissing ?? 'slapd'})`,
  async () => {
    if (slapdMissing !== null) return;
    const service = await openService();
    const directory = await openDirectory(ENTRIES);
    const other = await openDirectory(
      [...PARENTS, person('kim').replace('pass of', 'other pass of')].join('\n'),
    );
    let id = '';

    const settings = (more: object = {}) => ({
      url: directory.ldaps,
      ca: directory.ca,
      bindDn: ROOT.dn,
      bindPassword: ROOT.password,
      userBase: `ou=people,${BASE}`,
      groupBase: `ou=groups,${BASE}`,
      ...more,
    });

    beforeAll(async () => {
      const made = await service.send('admin', 'POST', '/sign_in/providers', {
        provider: {
          name: 'ldap',
          type: 'ldap',
          ldap: settings(),
          mapping: [
            { group: 'network-ops', roles: ['engineering'] },
            { group: groupDn('directors').toUpperCase(), roles: ['apiread'] },
            { group: 'staff', roles: ['apiread'] },
            { group: 'guests', roles: ['admin'] },
          ],
        },
      });
      expect(made.status, made.text).toBe(200);
      id = (made.json as { data: { _id: string } }).data._id;
    });
    afterEach(() => rows(service.db, sql`delete from throttle`));

    const login = (username: string, password = `pass of ${username}`) =>
      service.send(null, 'POST', '/login', { username, password });
    const whoami = async (token: string) => {
      const answer = await sendAs(service, token, 'GET', '/whoami');
      return {
        status: answer.status,
        ...(answer.json as { username: string; provenance: string; roles: string[] }),
      };
    };
    const update = (ldap: object) =>
      service.send('admin', 'PATCH', `/sign_in/providers/${id}`, { updates: { ldap } });
    /** Makes the last comparison of every account with the directory look old. */
    const age = async (seconds: number) => {
      await rows(
        service.db,
        sql`update directory_identities set checked_at = now() - make_interval(secs => ${seconds}),
            confirmed_at = now() - make_interval(secs => ${seconds})`,
      );
      service.platform.access.callers.forget();
    };

    test('a user signs in with the ordinary form, with the roles of groups within groups', async () => {
      const answer = await login('ada');
      expect(answer.status, answer.text).toBe(200);
      expect(await whoami(answer.text)).toMatchObject({
        username: 'ada',
        provenance: 'ldap',
        roles: ['engineering'],
        status: 200,
      });
      const kim = await login('kim');
      expect((await whoami(kim.text)).roles).toEqual(['engineering']);
    });

    test('a rejected sign-in takes at least a second, whether its name is one of the directory, of a local account or of nobody', async () => {
      const { username } = await createPerson(service);
      for (const name of ['ada', username, 'nobody-of-this-name']) {
        const began = performance.now();
        expect((await login(name, 'wrong')).status).toBe(401);
        expect(performance.now() - began, name).toBeGreaterThan(990);
      }
    });

    test('a group is also found by its distinguished name, whatever its case', async () => {
      expect((await whoami((await login('eve')).text)).roles).toEqual(['apiread']);
    });

    test('the primary group of a user of Active Directory counts, and so do the groups that it belongs to', async () => {
      expect((await whoami((await login('pam')).text)).roles).toEqual(['apiread', 'engineering']);
    });

    test('a user of the second directory signs in while the first one is silent, and a wrong password stays wrong', async () => {
      const silent = createServer((socket) => void socket.on('error', () => undefined));
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const first = { url: `ldap://127.0.0.1:${port}`, userBase: BASE };
      const made = await service.send('admin', 'POST', '/sign_in/providers', {
        provider: { name: 'a-silent-one', type: 'ldap', ldap: first, defaultRoles: ['apiread'] },
      });
      expect(made.status, made.text).toBe(200);
      const began = performance.now();
      const answers = await Promise.all([login('ada'), login('kim', 'wrong')]);
      expect(performance.now() - began).toBeLessThan(5000);
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
      silent.close();
      const { _id } = (made.json as { data: { _id: string } }).data;
      await service.send('admin', 'DELETE', `/sign_in/providers/${_id}`);
    });

    test('of a name with several addresses the first one that accepts a connection is used, and all of them are checked', async () => {
      const { port } = new URL(directory.ldaps);
      const target = {
        name: 'domain',
        url: `ldaps://dc.example.net:${port}`,
        serverName: 'localhost',
        ca: directory.ca,
      };
      const search = {
        base: BASE,
        scope: 'base',
        where: { text: '(objectClass=*)' },
        attributes: [],
        most: 1,
      } as const;
      const open = (allowPrivateTargets: boolean) =>
        openLdap({
          allowPrivateTargets,
          resolve: async () => [{ address: '127.0.0.2' }, { address: '127.0.0.1' }],
        });
      const bound = { ...target, bindDn: ROOT.dn, bindPassword: ROOT.password };
      const found = await open(true).connect(bound, ({ search: find }) => find(search));
      expect(found.map(({ dn }) => dn)).toEqual([BASE]);
      await expect(open(false).connect(bound, ({ search: find }) => find(search))).rejects.toMatchObject({
        extra: { reason: 'TARGET_DENIED' },
      });
    });

    test('StartTLS signs users in like ldaps; a bind without TLS is never tried', async () => {
      expect((await update(settings({ url: directory.ldap }))).status).toBe(200);
      expect((await login('ada')).status).toBe(200);
      await update(settings());
    });

    test('Basic authentication accepts name and password of the directory', async () => {
      const answer = await service.send(null, 'GET', '/whoami', undefined, {
        headers: basic('ada', 'pass of ada'),
      });
      expect(answer.json).toMatchObject({ username: 'ada' });
    });

    test.each([
      ['a wrong password', 'ada', 'wrong'],
      ['an empty password, which a directory takes for anonymous', 'ada', ''],
      ['a user without a mapped group', 'bob', 'pass of bob'],
      ['an unknown user', 'nobody', 'x'],
      ['a filter that matches everybody', '*', 'pass of ada'],
      ['a filter that closes and opens', 'ada)(uid=*', 'pass of ada'],
      ['an or', 'x)(|(uid=ada))', 'pass of ada'],
      ['an escaped star', '\\2a', 'pass of ada'],
      ['a distinguished name', user('ada'), 'pass of ada'],
    ])('%s signs nobody in', async (_, name, password) => {
      const answer = await login(name, password);
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ message: 'Invalid credentials' });
    });

    test('an account of the directory does not sign in as the local account of the same name', async () => {
      await createPerson(service, ['admin'], { username: 'admin' });
      expect((await login('admin')).status).toBe(401);
    });

    test('a change of groups takes effect while the session lives, and a token of the user follows', async () => {
      const session = (await login('ada')).text;
      const created = await sendAs(service, session, 'POST', '/user/tokens', { name: 'mine' });
      const { token } = created.json as { token: string };
      expect((await whoami(token)).roles).toEqual(['engineering']);
      const move = (operation: 'add' | 'delete') =>
        directory.change((client) =>
          client.modify(groupDn('directors'), [
            new Change({ operation, modification: new Attribute({ type: 'member', values: [user('ada')] }) }),
          ]),
        );
      await move('add');
      expect((await whoami(session)).roles).toEqual(['engineering']);
      await age(60);
      expect((await whoami(session)).roles).toEqual(['apiread', 'engineering']);
      await move('delete');
      await age(60);
      expect((await whoami(token)).roles).toEqual(['engineering']);
    });

    test('a group that is renamed in the directory no longer gives the rights of its former name', async () => {
      const session = (await login('eve')).text;
      expect((await whoami(session)).roles).toEqual(['apiread']);
      const rename = (from: string, to: string) =>
        directory.change((client) => client.modifyDN(groupDn(from), `cn=${to}`));
      await rename('directors', 'board');
      await age(60);
      expect((await whoami(session)).status).toBe(401);
      expect((await login('eve')).status).toBe(401);
      await rename('board', 'directors');
      expect((await whoami((await login('eve')).text)).roles).toEqual(['apiread']);
    });

    test('users of the same name in two directories have accounts of their own', async () => {
      const own = (await whoami((await login('kim')).text)) as { id?: string };
      const ldap = settings({ url: other.ldaps, ca: other.ca });
      const made = await service.send('admin', 'POST', '/sign_in/providers', {
        provider: { name: 'second', type: 'ldap', ldap, defaultRoles: ['apiread'] },
      });
      expect(made.status, made.text).toBe(200);
      const { _id } = (made.json as { data: { _id: string } }).data;
      // The first directory has the user, so that its password alone counts.
      expect((await login('kim', 'other pass of kim')).status).toBe(401);
      expect((await update(settings({ userFilter: '(!(uid=kim))' }))).status).toBe(200);
      const found = await whoami((await login('kim', 'other pass of kim')).text);
      expect(found).toMatchObject({ username: 'kim', provenance: 'second', roles: ['apiread'] });
      expect((found as { id?: string }).id).not.toBe(own.id);
      expect((await login('kim')).status).toBe(401);
      await update(settings());
      expect((await whoami((await login('kim')).text)).roles).toEqual(['engineering']);
      await service.send('admin', 'DELETE', `/sign_in/providers/${_id}`);
    });

    test('a user deleted in the directory is signed out and loses the rights', async () => {
      const session = (await login('gone')).text;
      expect((await whoami(session)).status).toBe(200);
      await directory.change((client) => client.del(user('gone')));
      await age(60);
      expect((await whoami(session)).status).toBe(401);
      const [account] = await rows<{ n: number }>(
        service.db,
        sql`select jsonb_array_length(doc -> 'assignedRoles') as n from accounts where username = 'gone'`,
      );
      expect(account?.n).toBe(0);
    });

    test.each([
      [
        'a certificate of another authority after StartTLS',
        { url: directory.ldap, ca: openAuthority('Another').ca },
        'TLS_FAILED',
      ],
      ['a certificate of another authority', { ca: openAuthority('Another').ca }, 'TLS_FAILED'],
      ['a certificate for another name', { serverName: 'directory.example.net' }, 'TLS_FAILED'],
      ['a wrong password of the searching account', { bindPassword: 'wrong' }, 'BIND_REFUSED'],
      ['an unknown base', { userBase: 'ou=none,dc=example,dc=net' }, 'LDAP_ERROR'],
    ])('%s is a named error, on the page of the provider and in the health view', async (_, more, reason) => {
      await update(settings(more));
      const tested = await service.send('admin', 'POST', `/sign_in/providers/${id}/test`, {});
      expect(tested.json).toMatchObject({ ok: false, reason });
      const page = await service.send('admin', 'GET', `/sign_in/providers/${id}`);
      expect(page.json).toMatchObject({ status: { ok: false, reason } });
      const failing = await service.send('admin', 'GET', '/health/connections');
      expect(failing.json).toMatchObject({
        results: expect.arrayContaining([
          expect.objectContaining({ kind: 'sign-in provider', name: 'ldap' }),
        ]),
      });
      expect((await login('ada')).status).toBe(401);
      await update(settings());
      const again = await service.send('admin', 'POST', `/sign_in/providers/${id}/test`, {});
      expect(again.json).toMatchObject({ ok: true, reason: null });
    });

    test('bytes that somebody on the way adds to the answer to StartTLS sign nobody in, and are a named error', async () => {
      // The beginning of a successful answer to the bind that follows; its text is the 14 bytes of the encrypted answer.
      const planted = Buffer.from('301a02010361150a01000400040e', 'hex');
      const { port: behind } = new URL(directory.ldap);
      const between = createServer((socket) => {
        const server = connect(Number(behind), '127.0.0.1');
        for (const one of [socket, server]) one.on('error', () => undefined);
        socket.pipe(server);
        server.once('data', (answer) => {
          socket.write(Buffer.concat([answer, planted]));
          server.pipe(socket);
        });
      });
      between.listen(0, '127.0.0.1');
      await once(between, 'listening');
      const { port } = between.address() as AddressInfo;
      await update(settings({ url: `ldap://127.0.0.1:${port}` }));
      expect((await login('ada', 'wrong')).status).toBe(401);
      const page = await service.send('admin', 'GET', `/sign_in/providers/${id}`);
      expect(page.json).toMatchObject({ status: { ok: false, reason: 'TLS_FAILED' } });
      await update(settings());
      between.close();
    });

    test('while the directory is away local accounts sign in, and known sessions keep their rights for a while', async () => {
      const session = (await login('ada')).text;
      const local = await createPerson(service, ['admin']);
      await directory.stop();
      expect((await whoami(await signIn(service, local))).roles).toEqual(['admin']);
      expect((await login('ada')).status).toBe(401);
      await age(60);
      expect((await whoami(session)).roles).toEqual(['engineering']);
      const page = await service.send('admin', 'GET', `/sign_in/providers/${id}`);
      expect(page.json).toMatchObject({ status: { ok: false, reason: 'REFUSED' } });
      await age(16 * 60);
      expect((await whoami(session)).status).toBe(401);
      await directory.restart();
      await age(16 * 60);
      expect((await whoami(session)).status).toBe(200);
    });
  },
);
