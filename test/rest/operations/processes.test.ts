import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { composeService } from '#server/app/open-service.ts';
import { readConfig } from '#server/kernel/config.ts';
import { createGroup, createPerson, roleId, sendAs, signIn, until } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

/** A second process, as far as one test can hold it: own pool, own memory, the same database and key. */
const second = openDatabase({ connection: service.connection });
/** Its clock is stopped: its cache of callers never expires by itself, so it must be notified. */
const stopped = new Date();
const joined = composeService({
  config: readConfig({}),
  db: second.db,
  vault: service.vault,
  log: pino({ level: 'silent' }),
  now: () => stopped,
});
const deafen = await listen(service.connection, joined.channels);
joined.server.listen(0, '127.0.0.1');
await once(joined.server, 'listening');
const { port } = joined.server.address() as AddressInfo;
afterAll(async () => {
  joined.server.closeAllConnections();
  joined.server.close();
  await deafen();
  await second.close();
});

async function statusThere(headers: Record<string, string>, path = '/whoami') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  await answer.text();
  return answer.status;
}
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('any process accepts a session, and every process rejects it once it ended', async () => {
  const person = await createPerson(service);
  const [one, other] = [await signIn(service, person), await signIn(service, person)];
  expect(await statusThere(bearer(one))).toBe(200);
  expect(await statusThere(bearer(other))).toBe(200);
  await sendAs(service, one, 'POST', '/logout');
  await until(async () => (await statusThere(bearer(one))) === 401);
  expect(await statusThere(bearer(other))).toBe(200);
});

test('a right that a group gains or loses counts in every process immediately', async () => {
  const group = await createGroup(service);
  const person = await createPerson(service, [], { memberOf: [{ groupId: group }] });
  const token = await signIn(service, person);
  expect(await statusThere(bearer(token), '/authorization/groups')).toBe(403);
  const assign = (assignedRoles: object[]) =>
    service.send('admin', 'PATCH', `/authorization/groups/${group}`, { updates: { assignedRoles } });
  await assign([{ roleId: await roleId(service, 'apiread') }]);
  await until(async () => (await statusThere(bearer(token), '/authorization/groups')) === 200);
  await assign([]);
  await until(async () => (await statusThere(bearer(token), '/authorization/groups')) === 403);
});

test('an access token is honoured by any process, and rejected by all once its secret was replaced', async () => {
  const created = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: 'ci' },
  });
  const { client_id, client_secret } = (created.json as { results: Record<string, string> }).results;
  const issued = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const { access_token } = issued.json as { access_token: string };
  expect(await statusThere(bearer(access_token))).toBe(200);
  await service.send('admin', 'PATCH', `/oauth/serviceAccounts/${client_id}/regenerate`);
  await until(async () => (await statusThere(bearer(access_token))) === 401);
});

test('failed sign-ins are counted over all processes', async () => {
  const person = await createPerson(service);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt++) {
    const body = JSON.stringify({ username: person.username, password: `wrong${attempt}` });
    const url = attempt % 2 === 0 ? service.url : `http://127.0.0.1:${port}`;
    const answer = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    await answer.text();
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
});
