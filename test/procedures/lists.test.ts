import { expect, test } from 'vitest';
import { rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { lists, tags } = await service.as('admin');

test('a typed caller gets a whole list as one text, with the columns that it names', async () => {
  const name = unique('Shown');
  await tags.createTag({ data: { name } });
  const text = await lists.exportAsCsv({ list: 'tags.listTags', columns: 'name:Tag,description' });
  expect(text.split('\r\n')).toContain(`${name},`);
  expect(text).toMatch(/^Tag,description\r\n/);
});

test('a list is exported to those who may read it', async () => {
  const wanted = { list: 'authorization.listTokens', columns: 'name' };
  expect(await rolesThatMay(service, (as) => as.lists.exportAsCsv(wanted))).toEqual(['admin']);
  const all = await rolesThatMay(service, (as) => as.lists.exportAsCsv({ list: 'tags.listTags' }));
  expect(all).toContain('apiread');
});

test('a procedure that answers no list has no file', async () => {
  for (const list of ['session.whoAmI', 'tags.createTag', 'none', 'constructor']) {
    expect((await rejectionOf(lists.exportAsCsv({ list }))).code).toBe('NOT_FOUND');
  }
});
