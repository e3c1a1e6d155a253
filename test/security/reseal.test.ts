import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { resealSecrets } from '#server/app/work/reseal.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();

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

  const stored = async () =>
    rows<{ text: string }>(
      service.db,
      sql`select doc::text as text from adapters union all select doc::text from secret_providers
          union all select secrets::text from gateway_credentials union all select secrets::text from gateway_hosts
          union all select doc::text from profiles`,
    ).then((all) =>
      all.flatMap(({ text }) => [...text.matchAll(/sealed:v\d:[A-Za-z0-9+/=]+/g)].map(([one]) => one)),
    );
  const before = await stored();
  expect(before.length).toBeGreaterThanOrEqual(6);

  const next = randomBytes(32);
  const parts = { db: service.db, vault: openVault(next, service.key), log: pino({ level: 'silent' }) };
  expect(await resealSecrets(parts)).toBeGreaterThanOrEqual(6);
  const after = await stored();
  expect(after).toHaveLength(before.length);
  expect(after.filter((text) => before.includes(text))).toEqual([]);
  const [host] = await rows<{ secrets: string }>(
    service.db,
    sql`select secrets::text as secrets from gateway_hosts where name = 'h1'`,
  );
  const ofHost = JSON.parse(host?.secrets ?? '{}') as Record<string, string>;
  const opened = openVault(next).open(ofHost['["password"]'] ?? '', ['gateway_hosts', 'cli/h1', 'password']);
  expect(JSON.parse(opened)).toBe(password);
  // A second run finds nothing to do.
  expect(await resealSecrets(parts)).toBe(0);
});
