import { afterAll, describe, expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { until } from '../helpers/processes/processes.ts';
import { openAccountDatabase } from '../helpers/secrets/account-database.ts';
import { openBao, openBaoMissing } from '../helpers/secrets/openbao.ts';
import { openService } from '../helpers/service.ts';
import { SCRIPTS } from '../lab/devices/scripts.ts';
import { openDevice } from '../lab/devices/simulator.ts';

if (openBaoMissing) process.stderr.write(`The tests with OpenBao are skipped: ${openBaoMissing}\n`);

const POLICY = `
  path "secret/data/*" { capabilities = ["read"] }
  path "database/creds/*" { capabilities = ["read"] }
  path "ssh/creds/otp" { capabilities = ["update"] }
  path "ssh/creds/none" { capabilities = ["read"] }
  path "sys/leases/revoke" { capabilities = ["update"] }
`;

describe.skipIf(openBaoMissing)(
  'with a real OpenBao whose engine makes roles in a real PostgreSQL',
  async () => {
    if (openBaoMissing) return;
    const service = await openService();
    const api = await service.as('admin');
    const { secrets } = service.platform;
    const bao = await openBao();
    const database = await openAccountDatabase();
    await bao.call('POST', 'secret/data/core', { data: { password: 'from-the-kv-engine' } });
    await bao.call('POST', 'sys/mounts/database', { type: 'database' });
    await bao.call('POST', 'database/config/accounts', {
      plugin_name: 'postgresql-database-plugin',
      allowed_roles: '*',
      connection_url: database.connectionUrl,
      username: database.superuser,
      password: 'any',
    });
    const role = (name: string, seconds: number, most: number) =>
      bao.call('POST', `database/roles/${name}`, {
        db_name: 'accounts',
        creation_statements: `create role "{{name}}" login password '{{password}}'`,
        revocation_statements: 'drop role if exists "{{name}}"',
        default_ttl: seconds,
        max_ttl: most,
      });
    await role('ops', 600, 3600);
    await role('short', 3, 60);
    await role('ends', 2, 2);
    await bao.call('POST', 'sys/mounts/ssh', { type: 'ssh' });
    await bao.call('POST', 'ssh/roles/otp', {
      key_type: 'otp',
      default_user: 'svc',
      cidr_list: '127.0.0.0/8',
    });

    const { made: accounts, signsIn } = database;
    const provide = async (name: string, settings: object = {}, role: object = {}) =>
      api.secrets.createProvider({
        provider: {
          ...{ name, kind: 'vault', url: bao.url, auth: await bao.approle(name, POLICY, { ...role }) },
          ...settings,
        },
      } as never);
    const use = { kind: 'adapters', name: 'tried', account: null };
    const account = (provider: string, role: string) =>
      secrets.resolve(
        {
          name: `$SECRET_${provider}:/database/creds/${role} $KEY_username`,
          password: `$SECRET_${provider}:/database/creds/${role} $KEY_password`,
        },
        use,
      );
    const uses = async () => {
      const { results } = await api.audit.listEntries({
        queryOptions: { equals: 'secrets.use', equalsField: 'operation', limit: 100 },
      });
      return results.map((one) => JSON.stringify(one));
    };
    const deviceThat = async (accepts: (name: string, password: string) => Promise<boolean>) => {
      const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_xe');
      if (!script) throw new Error('no script');
      const device = await openDevice(script, { accepts });
      afterAll(device.close);
      return device;
    };
    const hostWith = async (port: number, username: string, password: string) => {
      const name = `core-${newId()}`;
      await api.automationgateway.createCredential({ credential: { name, username, password } });
      const host = { name, host: '127.0.0.1', port, device_type: 'cisco_xe', credential: name };
      await api.automationgateway.createHost({ kind: 'cli', host: host as never });
      return name;
    };

    test('a test of a provider reads secrets of both engines and leaves neither a token nor an account', async () => {
      await provide('tried');
      const before = await bao.tokens();
      const tried = (path: string, key: string) => api.secrets.testProvider({ name: 'tried', path, key });
      expect(await tried('core', 'password')).toMatchObject({ ok: true });
      expect(await tried('/database/creds/ops', 'password')).toMatchObject({ ok: true });
      expect(await tried('/database/creds/none', 'password')).toMatchObject({
        ok: false,
        detail: expect.stringContaining('no secret /database/creds/none'),
      });
      // What has no lease is not read by its path on the server: a policy for the KV engine decides about it.
      expect(await tried('/secret/data/core', 'password')).toMatchObject({
        ok: false,
        detail: expect.stringContaining('no lease'),
      });
      expect(await tried('/ssh/creds/none', 'key')).toMatchObject({
        ok: false,
        detail: expect.stringContaining('address of one host'),
      });
      expect(await tried('../auth/token/lookup-self', 'id')).toMatchObject({ ok: false });
      // A path that the policy does not allow is not a fault of the server.
      expect(await tried('/sys/mounts', 'x')).toMatchObject({
        ok: false,
        detail: expect.stringContaining('denied the secret /sys/mounts'),
      });
      expect(await api.secrets.getProvider({ name: 'tried' })).toMatchObject({ lastError: null });
      await until('no account', async () => (await accounts()).length === 0 || undefined);
      expect(await bao.tokens()).toBe(before);
    });

    test('a denied sign-in is a fault of the provider, also where the test reads a secret', async () => {
      const auth = await bao.approle('refused', POLICY, {});
      const settings = { auth: { ...auth, secretId: 'not-that-of-the-role' } };
      await provide('refused', settings);
      const { ok } = await api.secrets.testProvider({ name: 'refused', path: 'core', key: 'password' });
      expect(ok).toBe(false);
      expect(await api.secrets.getProvider({ name: 'refused' })).toMatchObject({
        lastError: expect.stringContaining('denied the sign-in with the role'),
      });
    });

    test('a device is reached with an account made for it, and with another one when its lease is revoked', async () => {
      await provide('made', { cacheSeconds: 0 });
      const device = await deviceThat(signsIn);
      const name = await hostWith(
        device.port,
        '$SECRET_made:/database/creds/ops $KEY_username',
        '$SECRET_made:/database/creds/ops $KEY_password',
      );
      expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
      const [first] = await accounts();
      expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
      expect(await accounts()).toEqual([first]);
      const recorded = (await uses()).filter((one) => one.includes(name));
      expect(recorded.length).toBeGreaterThan(0);
      expect(recorded.every((one) => one.includes('database/creds/ops/'))).toBe(true);

      await bao.call('PUT', 'sys/leases/revoke-prefix/database/creds/ops', {});
      await until('the end of the account', async () => (await accounts()).length === 0 || undefined);
      expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
      const [second] = await accounts();
      expect(second).not.toBe(first);
      expect((await uses()).join()).not.toContain('create role');
    });

    test('hosts that need a dynamic secret at the same time share one, and its name fits its password', async () => {
      await provide('shared');
      const before = (await accounts()).length;
      const all = await Promise.all(Array.from({ length: 20 }, () => account('shared', 'ops')));
      expect(new Set(all.map(({ name }) => name)).size).toBe(1);
      expect((await accounts()).length).toBe(before + 1);
      const [one] = all;
      expect(await signsIn(String(one?.name), String(one?.password))).toBe(true);
    });

    test('lease and token are renewed while the secret is in use, without a request that waits for it', async () => {
      await provide('renewed', {}, { token_ttl: '3s', token_max_ttl: '10m' });
      const first = await account('renewed', 'short');
      // Three times the duration of both.
      await new Promise((resolve) => setTimeout(resolve, 9000));
      expect(await signsIn(first.name, first.password)).toBe(true);
      expect(await account('renewed', 'short')).toEqual(first);
    });

    test('a use after the end of the lease gets another secret', async () => {
      await provide('ending');
      const first = await account('ending', 'ends');
      await until('the end', async () => ((await accounts()).includes(first.name) ? undefined : true));
      const second = await account('ending', 'ends');
      expect(second.name).not.toBe(first.name);
      expect(await signsIn(second.name, second.password)).toBe(true);
    });

    test('a token that was revoked takes its leases with it: the next use signs in and gets another secret', async () => {
      await provide('lost', { cacheSeconds: 0 });
      const first = await account('lost', 'ops');
      const { data } = (await bao.call('LIST', 'auth/token/accessors')) as { data: { keys: string[] } };
      for (const accessor of data.keys) {
        const found = (await bao
          .call('POST', 'auth/token/lookup-accessor', { accessor })
          .catch(() => undefined)) as { data: { policies: string[] } } | undefined;
        if (found?.data.policies.includes('lost'))
          await bao.call('POST', 'auth/token/revoke-accessor', { accessor });
      }
      await until('the end', async () => ((await accounts()).includes(first.name) ? undefined : true));
      const second = await account('lost', 'ops');
      expect(await signsIn(second.name, second.password)).toBe(true);
    });

    test('a secret that is not used any more is revoked', async () => {
      await provide('idle', { leaseIdleSeconds: 1 });
      const { name } = await account('idle', 'ops');
      expect(await accounts()).toContain(name);
      await until('the revocation', async () => ((await accounts()).includes(name) ? undefined : true));
    });

    test('a host of the SSH engine gets a password for each sign-in that the server accepts once', async () => {
      await provide('otp');
      const passwords: string[] = [];
      const device = await deviceThat(async (name, password) => {
        passwords.push(password);
        const found = (await bao.call('POST', 'ssh/verify', { otp: password }).catch(() => undefined)) as
          | { data: { username: string; ip: string } }
          | undefined;
        return found?.data.username === name && found.data.ip === '127.0.0.1';
      });
      const path = '$SECRET_otp:/ssh/creds/otp';
      const name = await hostWith(device.port, `${path} $KEY_username`, `${path} $KEY_key`);
      expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
      expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
      expect(new Set(passwords).size).toBe(2);
      expect((await uses()).filter((one) => one.includes('ssh/creds/otp/')).length).toBeGreaterThan(1);
    });

    test('a process that stops ends its tokens and leases', async () => {
      await provide('stopping');
      await account('stopping', 'ops');
      expect((await accounts()).length).toBeGreaterThan(0);
      await secrets.close();
      await until('no account', async () => (await accounts()).length === 0 || undefined);
      expect(await bao.tokens()).toBe(1);
      expect(service.logged.join('\n')).not.toContain('could not be revoked');
    });
  },
);
