import { expect, test } from 'vitest';
import { procedures } from '#server/http/operations.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { createPerson, roleId, sendAs, signIn } from '../helpers/people.ts';
import { type Answer, openService } from '../helpers/service.ts';

const service = await openService();

const all = Object.entries(procedures).map(([name, { _def }]) => ({
  name,
  type: _def.type,
  audience: _def.meta?.audience ?? 'public',
  effects: _def.meta?.effects === true,
  notByToken: _def.meta?.notByToken === true,
}));
/** They end the session with which they are called. */
const ENDS = new Set(['session.signOut', 'session.signOutByLink']);
const INPUT = encodeURIComponent('{}');

/** Calls a procedure as a tRPC client does: reads by GET, writes by POST. */
async function call(token: string | null, { name, type }: { name: string; type: string }, batch = false) {
  const headers = { ...(token && { Authorization: `Bearer ${token}` }) };
  const input = batch ? encodeURIComponent('{"0":{}}') : INPUT;
  const query = batch ? '?batch=1' : '';
  const path = `/trpc/${name}${query}`;
  if (type === 'mutation') return service.send(null, 'POST', path, batch ? { 0: {} } : {}, { headers });
  return service.send(null, 'GET', `${path}${batch ? '&' : '?'}input=${input}`, undefined, { headers });
}
const NOBODY = [401, 401, 401];

/** The status of an answer; a stream of events has it in its only event. */
const statusOf = ({ status, text }: Answer) =>
  Number(/event: serialized-error.*"httpStatus":(\d+)/s.exec(text)?.[1] ?? status);

test('no procedure answers a caller without a credential, of a deactivated account, or without a role', async () => {
  const person = await createPerson(service, ['admin']);
  const left = await signIn(service, person);
  const path = `/authorization/accounts/${person.id}`;
  expect((await service.send('admin', 'PATCH', path, { inactive: true })).status).toBe(200);
  const bare = await signIn(service, await createPerson(service));
  const found: string[] = [];
  for (const one of all) {
    if (one.audience === 'public') continue;
    const statuses = [];
    for (const token of [null, 'x', left]) statuses.push(statusOf(await call(token, one)));
    if (one.audience !== 'signed-in') statuses.push(statusOf(await call(bare, one)));
    const wanted = one.audience === 'signed-in' ? NOBODY : [...NOBODY, 403];
    if (String(statuses) !== String(wanted)) found.push(`${one.name} ${statuses}`);
  }
  expect(found).toEqual([]);
}, 600_000);

/** Alone, in a batch, and as a service account: they take turns, because the guard is the same for all three. */
const MANNERS = 3;

test('every procedure lets in its roles and no other, alone, in a batch, or as a service account', async () => {
  const found: string[] = [];
  for (const [turn, role] of ROLES.entries()) {
    const token = (await service.callerWith(role)).token;
    const roleIds = [await roleId(service, role)];
    const made = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
      accountData: { name: `machine-${role}`, assignedRoles: roleIds.map((id) => ({ roleId: id })) },
    });
    expect(made.status, made.text).toBe(200);
    const { client_id, client_secret } = (
      made.json as { results: { client_id: string; client_secret: string } }
    ).results;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const machine = await service.send(null, 'POST', '/oauth/token', undefined, {
      raw: new URLSearchParams(form).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(machine.status, machine.text).toBe(200);
    const machineToken = (machine.json as { access_token: string }).access_token;
    for (const [at, one] of all.entries()) {
      if (one.audience === 'public' || one.type === 'subscription' || ENDS.has(one.name)) continue;
      const isIn = one.audience === 'signed-in' || one.audience.includes(role);
      const manner = (at + turn) % MANNERS;
      const { status } = await call(manner === 2 ? machineToken : token, one, manner === 1);
      const isRight = isIn ? ![401, 403, 500].includes(status) : status === 403;
      if (!isRight) found.push(`${role} ${one.name} ${status}, manner ${manner}`);
    }
  }
  expect(found).toEqual([]);
}, 600_000);

test('a read-only personal token may call no mutation, and no query that acts outside', async () => {
  const session = await signIn(service, await createPerson(service, [...ROLES]));
  const made = await sendAs(service, session, 'POST', '/user/tokens', { name: 'reader', readOnly: true });
  const { token } = made.json as { token: string };
  const found: string[] = [];
  for (const [at, one] of all.entries()) {
    if (one.audience === 'public' || one.type === 'subscription') continue;
    const isDenied = one.type === 'mutation' || one.effects || one.notByToken;
    const { status } = await call(token, one, at % 2 === 1);
    const isRight = isDenied ? status === 403 : ![401, 403, 500].includes(status);
    if (!isRight) found.push(`${one.name} ${status}`);
  }
  expect(found).toEqual([]);
}, 600_000);
