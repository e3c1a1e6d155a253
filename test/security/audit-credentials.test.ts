import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { type Actor, openActing } from '../helpers/jobs/acting.ts';
import { basic, createPerson, sendAs, signIn } from '../helpers/people.ts';
import { variable, workflowOf } from '../helpers/workflows.ts';

const service = await openActing();

type Entry = {
  operation: string;
  outcome: string;
  account: string | null;
  credential: { kind: string; id: string | null; name: string | null } | null;
  document: { kind: string; id: string; name: string | null } | null;
  count?: number;
};

async function trail(field: string, value: string): Promise<Entry[]> {
  const query = new URLSearchParams({ equals: value, equalsField: field, limit: '1000' });
  const answer = await service.send('admin', 'GET', `/audit?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { results: Entry[] }).results;
}

const entryOf = async ({ headers }: { headers: Record<string, string | undefined> }): Promise<Entry> => {
  const [entry, ...more] = await trail('requestId', headers['x-request-id'] ?? '');
  expect(more).toEqual([]);
  if (!entry) throw new Error('the request has no row');
  return entry;
};

type Token = { token: string; id: string; send: Actor['send'] };

async function tokenOf(by: Actor, name: string): Promise<Token> {
  const { text, json } = await by.send('POST', '/user/tokens', { name, expiresInDays: 1 });
  const { token, data } = json as { token: string; data: { _id: string } };
  expect(token, text).toMatch(/^swy_/);
  return { token, id: data._id, send: (...request) => sendAs(service, token, ...request) };
}

const preferences = { preferences: { theme: 'dark' } };

test('the rows of a session name the session as its user sees it, from the sign-in on', async () => {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  await signIn(service, person);
  const { json } = await sendAs(service, token, 'GET', '/user/sessions');
  const own = (json as { results: { _id: string; current: boolean }[] }).results.find((one) => one.current);
  await sendAs(service, token, 'PATCH', '/user/settings', preferences);
  await service.send(null, 'POST', '/trpc/session.savePreferences', preferences, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const rows = await trail('credential.id', own?._id ?? '');
  expect(rows.map(({ operation }) => operation)).toEqual([
    'session.savePreferences',
    'session.savePreferences',
    'session.signIn',
  ]);
  for (const { credential } of rows)
    expect(credential).toEqual({ kind: 'session', id: own?._id, name: null });
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('everything that a leaked token did is listed by its id, and nothing else, also after it was deleted', async () => {
  const owner = await service.actor(['apiread', 'apiwrite', 'engineering']);
  const leaked = await tokenOf(owner, 'nightly backup');
  const other = await tokenOf(owner, 'laptop');
  for (const { send } of [leaked, other, owner]) {
    expect((await send('PATCH', '/user/settings', preferences)).status).toBe(200);
    expect((await send('GET', '/audit')).status).toBe(403);
  }
  await service.store(workflowOf('By a token', { a: variable('done', true) }));
  const started = await leaked.send('POST', '/operations-manager/jobs/start', { workflow: 'By a token' });
  expect(started.status, started.text).toBe(200);
  const job = (started.json as { data: Job }).data;
  expect((await owner.send('DELETE', `/user/tokens/${leaked.id}`)).status).toBe(200);
  expect((await leaked.send('GET', '/whoami')).status).toBe(401);

  const rows = await trail('credential.id', leaked.id);
  expect(rows.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    'operationsManager.startJob ok',
    'audit.listEntries refused',
    'session.savePreferences ok',
  ]);
  for (const row of rows) {
    expect(row.account).toBe(owner.username);
    expect(row.credential).toEqual({ kind: 'personalToken', id: leaked.id, name: 'nightly backup' });
  }
  expect(rows[0]?.document).toEqual({ kind: 'jobs', id: job._id, name: 'By a token' });
  expect(JSON.stringify(rows)).not.toContain(leaked.token);
});

test('floods by two tokens of one account are counted separately', async () => {
  const owner = await service.actor(['apiread']);
  const [one, two] = [await tokenOf(owner, 'one'), await tokenOf(owner, 'two')];
  for (let at = 0; at < 4; at += 1) await one.send('GET', '/profiles');
  await two.send('GET', '/profiles');
  const countsOf = async ({ id }: Token) => (await trail('credential.id', id)).map(({ count }) => count ?? 1);
  expect((await countsOf(one)).toSorted()).toEqual([1, 3]);
  expect(await countsOf(two)).toEqual([1]);
});

test('an access token of a service account is named from its issue on, and another one of the account differently', async () => {
  const accountData = { name: `machine-${Date.now()}` };
  const made = await service.send('admin', 'POST', '/oauth/serviceAccounts', { accountData });
  const { client_id, client_secret } = (made.json as { results: Record<string, string> }).results;
  const fields = { grant_type: 'client_credentials', client_id: client_id ?? '' };
  const form = new URLSearchParams({ ...fields, client_secret: client_secret ?? '' }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const issue = async () => {
    const answer = await service.send(null, 'POST', '/oauth/token', undefined, { headers, raw: form });
    expect(answer.status, answer.text).toBe(200);
    const issued = await entryOf(answer);
    expect(issued.credential).toEqual({ kind: 'accessToken', id: expect.any(String), name: null });
    return { token: (answer.json as { access_token: string }).access_token, id: issued.credential?.id ?? '' };
  };
  const [first, second] = [await issue(), await issue()];
  expect(first.id).not.toBe(second.id);
  await sendAs(service, first.token, 'PATCH', '/user/settings', preferences);
  expect((await trail('credential.id', first.id)).map(({ operation }) => operation)).toEqual([
    'session.savePreferences',
    'oauth.issueToken',
  ]);
  expect(await trail('credential.id', second.id)).toHaveLength(1);
});

test('the row of a write with Basic authentication names the password, and that of a wrong token names no credential', async () => {
  const person = await createPerson(service, ['apiread']);
  const headers = basic(person.username, person.password);
  const written = await service.send(null, 'PATCH', '/user/settings', preferences, { headers });
  expect(await entryOf(written)).toMatchObject({ credential: { kind: 'password', id: null, name: null } });
  const wrong = await sendAs(service, 'x'.repeat(43), 'GET', '/user/settings');
  expect(await entryOf(wrong)).toMatchObject({ account: null, credential: null });
});

test('the row of a deletion has the name of the job, which can no longer be looked up', async () => {
  await service.store(workflowOf('Deleted later', { a: variable('done', true) }));
  const { _id } = await service.member.done<Job>('POST', '/operations-manager/jobs/start', {
    workflow: 'Deleted later',
  });
  await service.over(_id);
  const deleted = await service.send('admin', 'POST', '/operations-manager/jobs/delete', { jobIds: [_id] });
  expect(deleted.status, deleted.text).toBe(200);
  expect((await entryOf(deleted)).document).toEqual({ kind: 'jobs', id: _id, name: 'Deleted later' });
});
