import { randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Database, rows } from '#db/client.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { secondFactors } from '#db/tables/identity/sign-in.ts';
import { installation } from '#db/tables/operations/platform.ts';
import { assertSameKey } from '#server/app/secret-key.ts';
import { resealSecrets } from '#server/app/work/reseal.ts';
import { openVault, sha256 } from '#server/kernel/secrets/vault.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
/** The key of the second test. */
const LATER = randomBytes(32);

/** Every column that holds secrets sealed one by one, as `table.column`. */
const HOLDERS = [
  'adapters.doc',
  'gateway_credentials.secrets',
  'gateway_hosts.secrets',
  'git_remotes.secrets',
  'inventory_sources.secrets',
  'notification_channels.secrets',
  'profiles.doc',
  'second_factors.pending',
  'second_factors.secret',
  'secret_providers.doc',
  'sessions.provider_tokens',
  'sign_in_providers.doc',
];

/** Every sealed text of the whole database, wherever it is, but for the mark of the key. */
async function sealedTexts(): Promise<Record<string, string[]>> {
  const columns = await rows<{ table: string; column: string }>(
    service.db,
    sql`select c.table_name as "table", c.column_name as "column"
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb')
          and c.is_generated = 'NEVER' and c.table_name <> 'installation'`,
  );
  const found: Record<string, string[]> = {};
  for (const { table, column } of columns) {
    const [name, field] = [sql.identifier(table), sql.identifier(column)];
    const holding = await rows<{ text: string }>(
      service.db,
      sql`select ${field}::text as text from ${name} where ${field}::text like '%sealed:v%'`,
    );
    const texts = holding.flatMap(({ text }) => text.match(/sealed:v\d:[A-Za-z0-9+/=]+/g) ?? []);
    if (texts.length > 0) found[`${table}.${column}`] = texts;
  }
  return found;
}

/** One of each kind that the first test does not create by itself. */
async function createOthers(password: string) {
  const { signIn, notifications, git, inventory } = await service.as('admin');
  const oidc = { issuer: 'https://id.example.net', clientId: 'c', clientSecret: password };
  await signIn.createProvider({
    provider: { name: 'corp', type: 'oidc', oidc, defaultRoles: ['apiread'] } as never,
  });
  const channel = {
    name: 'hook',
    type: 'webhook',
    url: 'http://127.0.0.1:9/hook',
    secret: `${password}-of-sixteen`,
  };
  await notifications.createChannel({ channel } as never);
  const credential = { username: 'u', token: password };
  const remote = {
    url: 'https://git.example.net/a.git',
    branch: 'main',
    kinds: ['workflows'],
    direction: 'both',
  };
  await git.createRemote({ remote: { name: 'r', ...remote, credential } } as never);
  const source = { name: 's', type: 'netbox', url: 'https://netbox.example.net', token: password };
  await inventory.createSource({ source } as never);
  const [{ caller: one, token }, { caller: two }] = [
    await service.callerWith('apiread'),
    await service.callerWith('engineering'),
  ];
  for (const { id } of [one, two]) {
    const sealed = service.vault.seal(password, ['second_factors', id, 'secret']);
    const confirmed = id === one.id;
    const [secret, pending] = confirmed ? [sealed, null] : [null, sealed];
    await service.db
      .insert(secondFactors)
      .values({ accountId: id, secret, pending, recoveryCodes: [], confirmed });
  }
  const providerTokens = service.vault.seal('{}', ['sessions', 'p', 's', 'provider_tokens']);
  await service.db
    .update(sessions)
    .set({ providerTokens, providerId: 'p', subject: 's' })
    .where(eq(sessions.tokenHash, sha256(token)));
}

test('everything that the previous key sealed is sealed with the new one, and opens without the previous one', async () => {
  const { automationgateway, adapters, secrets, profiles } = await service.as('admin');
  const password = 'p4ss-of-the-test';
  await automationgateway.createCredential({ credential: { name: 'sealed', username: 'u', password } });
  for (let at = 0; at < 3; at += 1) {
    const host = {
      name: `h${at}`,
      host: `192.0.2.${at + 1}`,
      device_type: 'cisco_xe',
      username: 'u',
      password,
    };
    await automationgateway.createHost({ kind: 'cli', host } as never);
  }
  const connection = { host: 'orch.example.net', port: 443, authentication: { username: 'u', password } };
  const properties = {
    name: 'orch',
    type: 'Adapter',
    model: '@vendor/adapter-orchestrator',
    properties: { id: 'orch', type: 'Orchestrator', properties: connection },
  };
  await adapters.createAdapter({ properties } as never);
  const auth = { method: 'token', token: password } as const;
  await secrets.createProvider({
    provider: { name: 'v', kind: 'vault', url: 'https://v.example.net', auth },
  });
  await profiles.createProfile({
    properties: { id: 'resealed', alarmProps: [{ password }] } as never,
  });

  await createOthers(password);

  const before = await sealedTexts();
  expect(Object.keys(before).sort()).toEqual(HOLDERS);

  // What a process does that starts with the new key.
  const next = randomBytes(32);
  const vault = openVault(next, service.key);
  await assertSameKey(service.db, vault);
  const parts = { db: service.db, vault, log: pino({ level: 'silent' }) };
  expect(await resealSecrets(parts)).toBeGreaterThanOrEqual(HOLDERS.length);
  const after = await sealedTexts();
  for (const holder of HOLDERS) {
    expect(after[holder], holder).toHaveLength(before[holder]?.length ?? 0);
    expect(after[holder]?.filter((text) => before[holder]?.includes(text))).toEqual([]);
  }
  const [host] = await rows<{ secrets: string }>(
    service.db,
    sql`select secrets::text as secrets from gateway_hosts where name = 'h1'`,
  );
  const ofHost = JSON.parse(host?.secrets ?? '{}') as Record<string, string>;
  const opened = openVault(next).open(ofHost['["password"]'] ?? '', ['gateway_hosts', 'cli/h1', 'password']);
  expect(JSON.parse(opened)).toBe(password);
  const [channel] = await rows<{ id: string; secret: string }>(
    service.db,
    sql`select id, secrets ->> 'secret' as secret from notification_channels`,
  );
  const place = ['notification_channels', channel?.id ?? '', 'secret'] as const;
  expect(openVault(next).open(channel?.secret ?? '', place)).toBe(`${password}-of-sixteen`);
  // A second run finds nothing to do, also once the pause between two runs has passed.
  expect(await resealSecrets(parts)).toBe(0);
  const later = () => new Date(Date.now() + 3_600_000);
  expect(await resealSecrets({ ...parts, now: later })).toBe(0);
  const [row] = await rows<{ value: string }>(
    service.db,
    sql`select value from installation where name = 'secret-key-renewal'`,
  );
  expect(JSON.parse(row?.value ?? '{}')).toMatchObject({ inPass: 0, endedAt: expect.any(String) });
});

test('a process that is lost in a step loses nothing, and the next one continues at its position', async () => {
  const { automationgateway, notifications } = await service.as('admin');
  const channel = {
    name: 'later',
    type: 'webhook',
    url: 'http://127.0.0.1:9/hook',
    secret: 'a-secret-of-sixteen',
  };
  await notifications.createChannel({ channel } as never);
  for (let at = 0; at < 30; at += 1) {
    const credential = { name: `many-${at}`, username: 'u', password: `p4ss-${at}` };
    await automationgateway.createCredential({ credential });
  }
  // The test before has sealed everything with another key: what follows is as after a first start.
  await rows(service.db, sql`delete from installation`);
  await assertSameKey(service.db, openVault(service.key));
  const vault = openVault(LATER, service.key);
  await assertSameKey(service.db, vault);
  const log = pino({ level: 'silent' });
  let steps = 0;
  const lost = (tx: Database) => {
    steps += 1;
    if (steps === 8) throw new Error('the process is lost');
    return tx;
  };
  // The transaction of the eighth step ends before it is committed.
  const breaking = Object.create(service.db, {
    transaction: {
      value: (run: (tx: Database) => Promise<unknown>) =>
        service.db.transaction(async (tx) => {
          const result = await run(tx as unknown as Database);
          lost(tx as unknown as Database);
          return result;
        }),
    },
  }) as Database;
  await expect(resealSecrets({ db: breaking, vault, log })).rejects.toThrow('the process is lost');
  const position = async () => {
    const [row] = await rows<{ value: string }>(
      service.db,
      sql`select value from installation where name = 'secret-key-renewal'`,
    );
    return JSON.parse(row?.value ?? '{}') as { column: number; endedAt: string | null };
  };
  expect(await position()).toMatchObject({ column: 7, endedAt: null });
  const [first, second] = await Promise.all([1, 2].map(() => resealSecrets({ db: service.db, vault, log })));
  await resealSecrets({ db: service.db, vault, log });
  expect((first ?? 0) + (second ?? 0)).toBeGreaterThan(0);
  expect((await position()).endedAt).not.toBeNull();
});

test('a process whose key is no longer the newest does not seal anything again', async () => {
  const log = pino({ level: 'silent' });
  await service.db
    .update(installation)
    .set({ value: '{}' })
    .where(eq(installation.name, 'secret-key-renewal'));
  for (const vault of [openVault(service.key, LATER), openVault(randomBytes(32), service.key)])
    expect(await resealSecrets({ db: service.db, vault, log })).toBe(0);
});

test('a process without the previous key does not start while that key is needed', async () => {
  const own = await openService();
  const { notifications } = await own.as('admin');
  const secret = 'a-secret-of-sixteen';
  const channel = { name: 'own', type: 'webhook', url: 'http://127.0.0.1:9/hook', secret };
  await notifications.createChannel({ channel } as never);
  const next = randomBytes(32);
  const start = (previous?: Buffer) => assertSameKey(own.db, openVault(next, previous));
  await assertSameKey(own.db, openVault(own.key));
  await start(own.key);
  await expect(start()).rejects.toThrow('does not open 1 of the stored secrets');
  await resealSecrets({ db: own.db, vault: openVault(next, own.key), log: pino({ level: 'silent' }) });
  await start();
});

test('an administrator reads its progress', async () => {
  const api = await service.as('admin');
  expect(await api.secrets.getKeyRenewal({})).toMatchObject({ previousKey: false, state: 'none', sealed: 0 });
  const rejected = (await service.as('apiread')).secrets.getKeyRenewal({});
  await expect(rejected).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
