import { readdirSync, readlinkSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { openConfiguration } from '../../helpers/configuration.ts';

const { count, url, callerWith } = await openConfiguration();
const { token } = await callerWith('admin');

/** More than is kept in memory. */
const FILLING = `${'interface Ethernet0/1\\n ip address 10.0.0.1 255.255.255.0\\n'.repeat(60)}`;
const COUNT = 1500;
const elements = (name: string) =>
  Array.from(
    { length: COUNT },
    (_, at) => `{"name":"${name}","rawConfig":"hostname ${name}-${at}\\n${FILLING}"}`,
  );
const bodyOf = (list: readonly string[], rest = '') => `{"backups":[${list.join(',')}]${rest}}`;

async function post(body: string | Buffer) {
  const answer = await fetch(`${url}/configuration_manager/import/backups`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body,
  });
  return { status: answer.status, json: await answer.json() };
}

const stored = (name: string) => count(sql`from backups where name = ${name}`);
const textsOf = (name: string) => count(sql`from raw_configs where content like ${`hostname ${name}-%`}`);

/** Temporary files of bodies that this process holds open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('switchyard-body-');
    } catch {
      return false;
    }
  });

test('an import larger than what is kept in memory is stored whole, and again without effect', async () => {
  const name = newId();
  const list = elements(name).map((text) => text.replace('{', `{"id":"${newId()}",`));
  const body = bodyOf(list);
  expect(body.length).toBeGreaterThan(5 * 1024 * 1024);
  for (const _ of [1, 2]) {
    expect(await post(body)).toEqual({
      status: 200,
      json: { status: 'success', message: `Imported ${COUNT} backups` },
    });
    expect(await stored(name)).toBe(COUNT);
    expect(await textsOf(name)).toBe(COUNT);
  }
  const changed = list.map((text, at) =>
    at === COUNT - 1 ? text.replace('"name"', '"notes":"n","name"') : text,
  );
  expect(await post(bodyOf(changed))).toMatchObject({
    status: 409,
    json: { issues: [{ path: ['backups', COUNT - 1, 'id'] }] },
  });
  expect(openFiles()).toEqual([]);
});

const LAST = COUNT - 1;
test.each<{ what: string; change: (list: string[]) => void; rest?: string; status: number; says: unknown }>([
  {
    what: 'a wrong field in the first and a missing one in the last element',
    change: (list) => {
      list[0] = list[0]?.replace('{', '{"date":"yesterday",') ?? '';
      list[LAST] = '{"name":"x"}';
    },
    status: 400,
    says: {
      issues: [{ path: ['backups', 0, 'date'] }, { path: ['backups', LAST, 'rawConfig'] }],
    },
  },
  {
    what: 'a name that is too long in the last element',
    change: (list) => {
      list[LAST] = `{"name":"${'x'.repeat(300)}","rawConfig":""}`;
    },
    status: 400,
    says: { issues: [{ path: ['backups', LAST, 'name'] }] },
  },
  {
    what: 'a NUL in the last element',
    change: (list) => {
      list[LAST] = '{"name":"a\\u0000","rawConfig":""}';
    },
    status: 400,
    says: { issues: [{ path: ['backups', LAST, 'name'], code: 'invalid_text' }] },
  },
  {
    what: 'an element that is no JSON',
    change: (list) => {
      list[LAST] = '{"name":}';
    },
    status: 400,
    says: { message: expect.stringContaining(`backups[${LAST}] is not JSON`) },
  },
  {
    what: 'a comma behind the last element',
    change: (list) => {
      list.push('');
    },
    status: 400,
    says: { message: expect.stringContaining('is not JSON') },
  },
  {
    what: 'an unknown field behind the list',
    change: () => undefined,
    rest: ',"more":1',
    status: 400,
    says: { issues: [{ path: ['more'] }] },
  },
  {
    what: 'a second list',
    change: () => undefined,
    rest: ',"backups":[]',
    status: 400,
    says: { issues: [{ path: ['backups'], code: 'ambiguous' }] },
  },
  {
    what: 'text behind the object',
    change: () => undefined,
    rest: '} {',
    status: 400,
    says: { message: expect.stringContaining('is not JSON') },
  },
])(
  'a large import with $what is rejected, and nothing of it is stored',
  async ({ change, rest, status, says }) => {
    const name = newId();
    const list = elements(name);
    change(list);
    expect(await post(bodyOf(list, rest))).toMatchObject({ status, json: says });
    expect(await stored(name)).toBe(0);
    expect(await textsOf(name)).toBe(0);
    expect(openFiles()).toEqual([]);
  },
);

test('a large import that is not UTF-8 is rejected', async () => {
  const body = Buffer.from(bodyOf(elements(newId())));
  body[body.length - 100] = 0xff;
  expect(await post(body)).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining('not valid UTF-8') },
  });
});

test('a large import is rejected with 503 while the folder for temporary files cannot be written', async () => {
  const name = newId();
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/does-not-exist';
  try {
    expect(await post(bodyOf(elements(name)))).toMatchObject({
      status: 503,
      json: { message: expect.stringContaining('temporary files') },
    });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  expect(await stored(name)).toBe(0);
  expect(await post(bodyOf(elements(name)))).toMatchObject({ status: 200 });
});
