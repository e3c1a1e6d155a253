import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { operations } from '#server/http/operations.ts';
import { sampled } from '../../helpers/long.ts';
import { basic, createGroup, createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

type Entry = {
  _id: string;
  time: string;
  account: string | null;
  accountId: string | null;
  address: string;
  operation: string;
  document: { kind: string; id: string; name: string } | null;
  documents?: { kind: string; id: string }[];
  outcome: string;
  status: number;
  requestId: string;
};

async function trail(query = ''): Promise<{ results: Entry[]; total: number }> {
  const answer = await service.send('admin', 'GET', `/audit${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { results: Entry[]; total: number };
}

const entryOf = async (requestId: string | undefined) =>
  (await trail(`?equals=${requestId}&equalsField=requestId`)).results;

test('every write leaves one row: who, when, from where, what, on which document, with which outcome', async () => {
  const { caller } = await service.callerWith('admin');
  const name = `audited-${randomUUID()}`;
  const role = { name, allowedMethods: [], allowedViews: [] };
  const account = { username: name, password: 'long enough, surely' };
  const created: Record<string, string> = {};
  const idOf = (json: unknown) => {
    const { data, results } = json as { data?: { _id?: string }; results?: { client_id?: string } };
    return data?._id ?? results?.client_id ?? '';
  };
  const steps: [string, string, () => string, unknown?][] = [
    ['authorization.createAccount', 'POST', () => '/authorization/accounts', { account }],
    [
      'authorization.updateAccount',
      'PATCH',
      () => `/authorization/accounts/${created.account}`,
      { firstname: 'x' },
    ],
    [
      'authorization.changePassword',
      'PUT',
      () => `/authorization/accounts/${created.account}/password`,
      { newPassword: 'another long password' },
    ],
    ['authorization.forceLogout', 'POST', () => `/authorization/accounts/${created.account}/forceLogout`, {}],
    ['authorization.createGroup', 'POST', () => '/authorization/groups', { name }],
    ['authorization.updateGroup', 'PATCH', () => `/authorization/groups/${created.group}`, { updates: {} }],
    ['authorization.deleteGroup', 'DELETE', () => `/authorization/groups/${created.group}`],
    ['authorization.createRole', 'POST', () => '/authorization/roles', { role }],
    ['authorization.updateRole', 'PATCH', () => `/authorization/roles/${created.role}`, { updates: {} }],
    ['authorization.deleteRole', 'DELETE', () => `/authorization/roles/${created.role}`],
    ['oauth.createServiceAccount', 'POST', () => '/oauth/serviceAccounts', { accountData: { name } }],
    [
      'oauth.updateServiceAccount',
      'PATCH',
      () => `/oauth/serviceAccounts/${created.machine}`,
      { updates: {} },
    ],
    ['oauth.regenerateSecret', 'PATCH', () => `/oauth/serviceAccounts/${created.machine}/regenerate`],
    ['oauth.deleteServiceAccount', 'DELETE', () => `/oauth/serviceAccounts/${created.machine}`],
  ];
  const KEPT: Record<string, string> = {
    'authorization.createAccount': 'account',
    'authorization.createGroup': 'group',
    'authorization.createRole': 'role',
    'oauth.createServiceAccount': 'machine',
  };
  const began = Date.now();
  for (const [operation, method, path, body] of steps) {
    const answer = await service.send('admin', method, path(), body);
    expect(answer.status, `${operation}: ${answer.text}`).toBe(200);
    const kept = KEPT[operation];
    if (kept) created[kept] = idOf(answer.json);
    const entries = await entryOf(answer.headers['x-request-id']);
    expect(entries, operation).toHaveLength(1);
    expect(entries[0], operation).toMatchObject({
      account: caller.username,
      accountId: caller.id,
      address: '127.0.0.1',
      operation,
      document: { kind: expect.stringMatching(/^(accounts|groups|roles)$/), id: expect.any(String), name },
      outcome: 'ok',
      status: 200,
    });
    expect(Date.parse(entries[0]?.time ?? '')).toBeGreaterThanOrEqual(began - 1000);
  }
  const mentioned = new Set(steps.map(([operation]) => operation));
  const writes = operations.filter(
    ({ procedure, meta }) => procedure._def.type === 'mutation' && meta.audience !== 'public',
  );
  // A personal token is created by another area; test/security/sessions.test.ts has its row.
  mentioned.add('authorization.deleteToken');
  // It needs an account with a second factor, which test/rest/identity has.
  mentioned.add('authorization.removeSecondFactor');
  const decision = await service.send('admin', 'PUT', '/authorization/access_default', {
    unlisted: 'readers',
  });
  expect(decision.status, decision.text).toBe(200);
  expect(await entryOf(decision.headers['x-request-id'])).toMatchObject([
    { operation: 'authorization.replaceAccessDefault', outcome: 'ok' },
  ]);
  mentioned.add('authorization.replaceAccessDefault');
  const areas = writes.map(({ name: one }) => one).filter((one) => /^(authorization|oauth)\./.test(one));
  expect(areas.filter((one) => !mentioned.has(one))).toEqual([]);
});

test('one’s own writes are recorded too: signing in and out, settings', async () => {
  const person = await createPerson(service);
  const token = await signIn(service, person);
  await sendAs(service, token, 'PATCH', '/user/settings', { preferences: { a: 1 } });
  await sendAs(service, token, 'POST', '/logout');
  const { results } = await trail(`?equals=${person.username}&equalsField=account`);
  expect(results.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    'session.signOut ok',
    'session.savePreferences ok',
    'session.signIn ok',
  ]);
  expect(results[0]?.document).toMatchObject({ kind: 'accounts', id: person.id, name: person.username });
});

test('a row lists all documents that the write touched', async () => {
  const group = await createGroup(service);
  const people = [];
  for (let made = 0; made < 3; made++)
    people.push(await createPerson(service, [], { memberOf: [{ groupId: group }] }));
  const answer = await service.send('admin', 'DELETE', `/authorization/groups/${group}`);
  const [entry] = await entryOf(answer.headers['x-request-id']);
  expect(entry?.document).toMatchObject({ kind: 'groups', id: group });
  expect(entry?.documents?.map(({ id }) => id).toSorted()).toEqual(
    [group, ...people.map(({ id }) => id)].toSorted(),
  );
});

test('a row is found by each document that the write touched', async () => {
  const group = await createGroup(service);
  const memberOf = [{ groupId: group }];
  const people = [
    await createPerson(service, [], { memberOf }),
    await createPerson(service, [], { memberOf }),
  ];
  const answer = await service.send('admin', 'DELETE', `/authorization/groups/${group}`);
  const requestId = answer.headers['x-request-id'];
  const countOf = async (filter: string) => {
    const found = await service.send('admin', 'GET', `/audit?equals[requestId]=${requestId}&${filter}`);
    return (found.json as { total: number }).total;
  };
  expect(await countOf(`equals[document.id]=${group}`)).toBe(1);
  for (const { id, username } of people) {
    expect(await countOf(`equals[document.id]=${id}`)).toBe(1);
    expect(await countOf(`contains[document.name]=${username.slice(0, -1)}`)).toBe(1);
  }
  expect(await countOf('equals[document.kind]=accounts')).toBe(1);
  expect(await countOf('equals[document.id]=000000000000000000000000')).toBe(0);
});

test.each(
  sampled(
    operations.filter(
      ({ procedure, meta }) => procedure._def.type === 'mutation' && Array.isArray(meta.audience),
    ),
    40,
  ).map((operation) => ({ operation, at: `${operation.method} ${operation.path}` })),
)('a denied attempt at $at is recorded', async ({ operation }) => {
  const { caller } = await service.callerWith('other');
  const path = operation.path.replace(/:\w+\+?/g, 'x');
  const answer = await service.send(
    'other',
    operation.method,
    path,
    operation.method === 'DELETE' ? undefined : {},
  );
  expect(answer.status).toBe(403);
  expect(await entryOf(answer.headers['x-request-id'])).toMatchObject([
    { account: caller.username, operation: operation.name, outcome: 'refused', status: 403, document: null },
  ]);
});

test('a write that is rejected leaves its attempt, and nothing of what it began', async () => {
  const name = `half-${randomUUID()}`;
  const group = { name, assignedRoles: [{ roleId: 'nobody' }] };
  const answer = await service.send('admin', 'POST', '/authorization/groups', { group });
  expect(await entryOf(answer.headers['x-request-id'])).toMatchObject([
    { operation: 'authorization.createGroup', outcome: 'refused', status: 400, document: null },
  ]);
  expect(
    (await service.send('admin', 'GET', `/authorization/groups?equals=${name}&equalsField=name`)).json,
  ).toMatchObject({
    total: 0,
  });
});

test('a rejected sign-in is recorded with the account that was tried, and with nothing else that was typed', async () => {
  const person = await createPerson(service);
  const typed = { username: `typed-${randomUUID()}`, password: `secret-${randomUUID()}` };
  const unknown = await service.send(null, 'POST', '/login', typed);
  const known = await service.send(null, 'POST', '/login', { ...typed, username: person.username });
  const headers = basic(person.username, typed.password);
  const inHeader = await service.send(null, 'GET', '/whoami', undefined, { headers });
  const rejected = { operation: 'session.signIn', outcome: 'refused', status: 401, accountId: null };
  expect(await entryOf(unknown.headers['x-request-id'])).toMatchObject([{ ...rejected, account: null }]);
  for (const { headers: reported } of [known, inHeader]) {
    expect(await entryOf(reported['x-request-id'])).toMatchObject([
      { ...rejected, account: person.username },
    ]);
  }
  const [all] = await rows<{ text: string }>(
    service.db,
    sql`select string_agg(doc::text, ' ') as text from audit`,
  );
  expect(all?.text).not.toContain(typed.username);
  expect(all?.text).not.toContain(typed.password);
});

test('the trail is listed newest first, by page, and filtered in pairs', async () => {
  for (let made = 0; made < 30; made++) await createGroup(service);
  const first = await trail();
  expect(first.results).toHaveLength(25);
  const times = first.results.map(({ time }) => time);
  expect(times).toEqual(times.toSorted().toReversed());
  const walked = new Set<string>();
  for (let skip = 0; skip < first.total; skip += 40) {
    for (const { _id } of (await trail(`?skip=${skip}&limit=40`)).results) walked.add(_id);
  }
  expect(walked.size).toBe(first.total);
  const oldest = await trail('?sort=time&order=1&limit=1');
  expect(Date.parse(oldest.results[0]?.time ?? '')).toBeLessThanOrEqual(Date.parse(times[0] ?? ''));
  const created = await trail('?startsWith=authorization.create&startsWithField=operation&limit=1000');
  expect(new Set(created.results.map(({ operation }) => operation.slice(0, 20)))).toEqual(
    new Set(['authorization.create']),
  );
  const rejected = await trail('?equals=403&equalsField=status&limit=1000');
  expect(rejected.total).toBeGreaterThan(0);
  expect(rejected.results.every(({ status }) => status === 403)).toBe(true);
  const ofGroups = await trail('?equals=groups&equalsField=document.kind&limit=1');
  expect(ofGroups.results[0]?.document?.kind).toBe('groups');
});

test('only admins read the trail', async () => {
  for (const role of ['apiread', 'apiwrite', 'support'] as const) {
    expect(await service.send(role, 'GET', '/audit')).toMatchObject({ status: 403 });
  }
  expect(await service.send('admin', 'GET', '/audit?equals=x')).toMatchObject({ status: 400 });
  expect(await service.send('admin', 'GET', '/audit?contains=x&containsField=secret')).toMatchObject({
    status: 400,
  });
});
