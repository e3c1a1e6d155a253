import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openThrottle } from '#server/domains/identity/sessions/throttle.service.ts';
import { isLong } from '../../helpers/long.ts';
import { basic, createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

/** Behind a proxy that names the address: each test comes from addresses of its own. */
const service = await openService({ TRUST_PROXY: '1' });

let hosts = 0;
const newAddress = () => `198.51.${Math.floor(hosts / 250)}.${(hosts++ % 250) + 1}`;

const login = (address: string, username: string, password: string) =>
  service.send(null, 'POST', '/login', { username, password }, { headers: { 'X-Forwarded-For': address } });

/** Makes wrong sign-ins sequentially; returns their statuses. */
async function fail(times: number, address: string, username: string) {
  const statuses: number[] = [];
  for (let at = 0; at < times; at++) statuses.push((await login(address, username, `wrong ${at}`)).status);
  return statuses;
}
const repeat = (status: number, times: number) => Array.from({ length: times }, () => status);

async function countRows(table: 'throttle' | 'audit', where = sql`true`) {
  const [row] = await rows<{ n: number }>(
    service.db,
    sql`select count(*)::int as n from ${sql.raw(table)} where ${where}`,
  );
  return row?.n ?? 0;
}

test('ten failures of one account from one address are answered 401, and further attempts 429 for the rest of five minutes', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  expect(await fail(10, address, person.username)).toEqual(repeat(401, 10));
  for (const password of ['wrong', person.password]) {
    const rejected = await login(address, person.username, password);
    expect(rejected).toMatchObject({ status: 429, json: { code: 'TOO_MANY_REQUESTS' } });
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(290);
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(300);
  }
  expect(await login(newAddress(), person.username, person.password)).toMatchObject({ status: 200 });
  const neighbour = await createPerson(service);
  expect(await login(address, neighbour.username, neighbour.password)).toMatchObject({ status: 200 });
});

test('an unknown name is counted like a known one', async () => {
  const address = newAddress();
  expect(await fail(12, address, `ghost-${randomUUID()}`)).toEqual([...repeat(401, 10), 429, 429]);
});

test.skipIf(!isLong)('a sign-in that succeeds forgets the failures before it', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  for (let round = 0; round < 3; round++) {
    expect(await fail(9, address, person.username)).toEqual(repeat(401, 9));
    expect(await login(address, person.username, person.password)).toMatchObject({ status: 200 });
  }
});

test('after the five minutes the account may be tried again', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  await fail(11, address, person.username);
  await expect(attemptElsewhere(address, person.username)).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
  });
  await rows(service.db, sql`update throttle set expire = now() - interval '1 second'`);
  await expect(attemptElsewhere(address, person.username)).resolves.toBeDefined();
});

/** An attempt in a process that has denied nothing so far: it knows only what the database holds. */
const attemptElsewhere = (address: string, username: string) =>
  openThrottle(service.db, () => undefined).begin(`person ${username}`, address);

test('parallel attempts count from their start: of 60 different ones, ten are answered 401', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => login(address, person.username, `wrong ${at}`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...repeat(401, 10), ...repeat(429, 50)]);
  for (const { status, headers } of answers)
    if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test('concurrent attempts with the same wrong password count each', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => login(address, person.username, 'wrong')),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...repeat(401, 10), ...repeat(429, 20)]);
});

test('concurrent attempts with the right password never throttle themselves', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  const headers = { ...basic(person.username, person.password), 'X-Forwarded-For': address };
  const answers = await Promise.all([
    ...Array.from({ length: 30 }, () => login(address, person.username, person.password)),
    ...Array.from({ length: 30 }, (_, at) =>
      service.send(null, 'GET', '/whoami', undefined, {
        headers: { ...headers, ...(at % 2 === 0 && { 'X-Background': '1' }) },
      }),
    ),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(repeat(200, 60));
  expect(await countRows('throttle', sql`points > 0 and key = ${`address ${address}`}`)).toBe(0);
});

test('a wrong name and password in the header of any request count as well', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  const whoami = (password: string) =>
    service.send(null, 'GET', '/whoami', undefined, {
      headers: { ...basic(person.username, password), 'X-Forwarded-For': address },
    });
  for (let at = 0; at < 10; at++) expect((await whoami(`wrong ${at}`)).status).toBe(401);
  const rejected = await whoami('wrong again');
  expect(rejected).toMatchObject({ status: 429 });
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
  expect(await login(address, person.username, person.password)).toMatchObject({ status: 429 });
});

test.skipIf(!isLong)('client secrets are counted too, separately from passwords', async () => {
  const address = newAddress();
  const created = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: randomUUID() },
  });
  const { client_id, client_secret } = (created.json as { results: Record<string, string> }).results;
  const ask = (secret: string) =>
    service.send(null, 'POST', '/oauth/token', undefined, {
      raw: `grant_type=client_credentials&client_id=${client_id}&client_secret=${secret}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': address },
    });
  for (let at = 0; at < 10; at++) expect((await ask(`wrong${at}`)).status).toBe(401);
  expect(await ask(client_secret ?? '')).toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.any(String) },
  });
});

test.skipIf(!isLong)(
  'a hundred failures close an address, whatever the names; then it stores nothing more',
  async () => {
    const address = newAddress();
    const names = Array.from({ length: 100 }, () => randomUUID());
    const answers = await Promise.all(names.map((name) => login(address, name, 'wrong')));
    expect(answers.map(({ status }) => status)).toEqual(repeat(401, 100));
    const person = await createPerson(service);
    expect(await login(address, person.username, person.password)).toMatchObject({ status: 429 });
    const [counts, trail] = [await countRows('throttle'), await countRows('audit')];
    const more = await Promise.all(names.map(() => login(address, randomUUID(), 'wrong')));
    expect(more.map(({ status }) => status)).toEqual(repeat(429, 100));
    for (const name of names.slice(0, 5)) {
      await expect(attemptElsewhere(address, `${name} again`)).rejects.toMatchObject({
        code: 'TOO_MANY_REQUESTS',
      });
    }
    expect(await countRows('throttle')).toBe(counts);
    expect(await countRows('audit')).toBe(trail);
    expect(await login(newAddress(), person.username, person.password)).toMatchObject({ status: 200 });
  },
);

test.skipIf(!isLong)(
  'a flood on one account does not close the door for others behind the same address',
  async () => {
    const [address, admin] = [newAddress(), await createPerson(service, ['admin'])];
    await Promise.all(Array.from({ length: 200 }, (_, at) => login(address, 'checks-ghost', `wrong ${at}`)));
    expect(await login(address, admin.username, admin.password)).toMatchObject({ status: 200 });
  },
);

test('an IPv6 address is throttled with its whole network', async () => {
  const person = await createPerson(service);
  const network = `2001:db8:${(hosts++).toString(16)}:1`;
  for (let at = 0; at < 10; at++) {
    expect((await login(`${network}::${at + 1}`, person.username, `wrong ${at}`)).status).toBe(401);
  }
  expect(await login(`${network}:ffff::1`, person.username, person.password)).toMatchObject({ status: 429 });
  const other = network.replace(/1$/, '2');
  expect(await login(`${other}::1`, person.username, person.password)).toMatchObject({ status: 200 });
});

test('a caller cannot choose the address that he is counted under', async () => {
  const [address, person] = [newAddress(), await createPerson(service)];
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) {
    statuses.push((await login(`203.0.113.${at}, ${address}`, person.username, `wrong ${at}`)).status);
  }
  expect(statuses).toEqual([...repeat(401, 10), 429, 429]);
});

test.skipIf(!isLong)('the port that a proxy names does not count', async () => {
  const person = await createPerson(service);
  for (const address of [newAddress(), `[2001:db8:${(hosts++).toString(16)}::7]`]) {
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) {
      statuses.push((await login(`${address}:${4000 + at}`, person.username, `wrong ${at}`)).status);
    }
    expect(statuses).toEqual([...repeat(401, 10), 429]);
    const named = address.replace(/[[\]]/g, '');
    expect(await countRows('audit', sql`doc ->> 'address' = ${named}`)).toBe(10);
  }
});

test('expired counts are cleared away', async () => {
  await rows(
    service.db,
    sql`insert into throttle values ('old', 3, now() - interval '1 hour'), ('young', 3, now() + interval '1 hour')`,
  );
  // A process clears at its first opportunity, and then once a minute.
  await attemptElsewhere(newAddress(), 'anyone');
  expect(await countRows('throttle', sql`key = 'old'`)).toBe(0);
  expect(await countRows('throttle', sql`key = 'young'`)).toBe(1);
});

test.skipIf(!isLong)(
  'rejected sign-ins cannot fill the audit trail: ten of an address, a hundred of all, in five minutes',
  async () => {
    const rejections = sql`doc ->> 'operation' = 'session.signIn' and doc ->> 'outcome' = 'refused'`;
    const of = (address: string) => countRows('audit', sql`${rejections} and doc ->> 'address' = ${address}`);
    await rows(service.db, sql`delete from throttle where key = 'recorded'`);
    const before = await countRows('audit', rejections);
    const addresses = Array.from({ length: 12 }, newAddress);
    for (const address of addresses) {
      await Promise.all(Array.from({ length: 14 }, () => login(address, randomUUID(), 'wrong')));
    }
    expect(await of(addresses[0] ?? '')).toBe(10);
    expect(await countRows('audit', rejections)).toBe(before + 100);
  },
);
