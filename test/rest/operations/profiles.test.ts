import { expect, test } from 'vitest';
import { openProfiles } from '../../helpers/documents/profiles.ts';

/* What only the wire of profiles has; test/procedures/profiles.test.ts tests what they do. */

const { send, read, create } = await openProfiles();

test('with If-Match the second of two writers is rejected, whether he updates, deletes or activates', async () => {
  await create({ id: 'contested' });
  const { etag = '' } = (await send('GET', '/profiles/contested')).headers;
  const headers = { 'If-Match': etag };
  const change = (description: string) =>
    send('PUT', '/profiles/contested', { properties: { description } }, headers);
  expect((await change('first')).status).toBe(200);
  expect(await change('second')).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  expect((await read('contested')).profile.description).toBe('first');
  expect((await send('DELETE', '/profiles/contested', undefined, headers)).status).toBe(409);
  expect((await send('PUT', '/profiles/contested/active', undefined, headers)).status).toBe(409);
});

test('filters are read from the query string, and unknown parameters and wrong values are rejected', async () => {
  await create({ id: 'made', description: 'for tests' });
  const found = await send('GET', '/profiles?contains=FOR%20tests&containsField=description');
  expect(found.json).toMatchObject({ total: 1, results: [{ profile: { id: 'made' } }] });
  for (const query of ['equals=x', 'limit=0', 'contains[colour]=x', 'stray=1'])
    expect((await send('GET', `/profiles?${query}`)).status, query).toBe(400);
});
