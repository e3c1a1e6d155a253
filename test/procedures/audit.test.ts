import { expect, test } from 'vitest';
import { NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { audit, tags } = await service.as('admin');

const entriesOf = async (operation: string, more: object = {}) =>
  (await audit.listEntries({ queryOptions: { equals: operation, equalsField: 'operation', ...more } }))
    .results;

test('a write leaves one entry: who, from where, what, on which document, with which outcome', async () => {
  const { caller } = await service.callerWith('admin');
  const tag = await tags.createTag({ data: { name: unique('audited') } });
  expect(await entriesOf('tags.createTag')).toEqual([
    expect.objectContaining({
      account: caller.username,
      accountId: caller.id,
      address: '192.0.2.1',
      operation: 'tags.createTag',
      document: { kind: 'tags', id: tag._id, name: tag.name },
      outcome: 'ok',
      status: 200,
    }),
  ]);
});

test('a rejected write leaves an entry with its status, and stores nothing else', async () => {
  const name = unique('twice');
  await tags.createTag({ data: { name } });
  await rejectionOf(tags.createTag({ data: { name } }));
  const [latest] = await entriesOf('tags.createTag', { limit: 1 });
  expect(latest).toMatchObject({ outcome: 'refused', status: 409, document: null });
  expect(await tags.findTags({ data: { name } })).toHaveLength(1);
});

test('a denied call leaves an entry, whether it reads or writes', async () => {
  const { caller } = await service.callerWith('support');
  const support = await service.as('support');
  await rejectionOf(support.tags.listTags({}));
  await rejectionOf(support.tags.deleteTag({ _id: NOBODY }));
  for (const operation of ['tags.listTags', 'tags.deleteTag']) {
    expect(await entriesOf(operation)).toEqual([
      expect.objectContaining({ account: caller.username, outcome: 'refused', status: 403 }),
    ]);
  }
});

test('a read that succeeds leaves no entry', async () => {
  const tag = await tags.createTag({ data: { name: unique('read') } });
  await tags.getTag({ id: tag._id });
  expect(await entriesOf('tags.getTag')).toEqual([]);
});

test('entries are listed newest first, in pages, with a total of all', async () => {
  for (const _ of [1, 2, 3]) await tags.createTag({ data: { name: unique('paged') } });
  const options = { equals: 'tags.createTag', equalsField: 'operation' };
  const all = await audit.listEntries({ queryOptions: options });
  const times = all.results.map(({ time }) => time);
  expect(times).toEqual(times.toSorted().toReversed());
  const page = await audit.listEntries({ queryOptions: { ...options, skip: 1, limit: 1 } });
  expect(page).toEqual({ results: [all.results[1]], total: all.total });
  expect(await rejectionOf(audit.listEntries({ queryOptions: { sort: 'nonsense' } }))).toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('only an admin reads the audit trail', async () => {
  expect(await rolesThatMay(service, (as) => as.audit.listEntries({}))).toEqual(['admin']);
});
