import { expect, test } from 'vitest';
import { openService } from '../../helpers/service.ts';

const { send } = await openService();

type Refusal = { message: string; issues: { path: (string | number)[] }[] };

/** Returns the fields for which a request is rejected, and the message. */
async function refusalOf(method: string, path: string, body?: unknown) {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(400);
  const { issues, message } = answer.json as Refusal;
  return { members: issues.map((issue) => issue.path.join('.')), message };
}

const PARSERS = '/configuration_manager/configurations/parser';
const COMPONENT = '/automation-studio/projects/65a000000000000000000000/components/1';

test.each([
  ['GET', '/applications?limit=0', undefined, ['limit']],
  ['GET', '/applications?colour=red', undefined, ['colour']],
  ['GET', '/applications?equals=x', undefined, ['equalsField']],
  ['GET', '/applications?queryOptions[limit]=0', undefined, ['queryOptions.limit']],
  ['GET', '/applications?queryOptions={"limit":0}', undefined, ['queryOptions.limit']],
  ['GET', '/applications?queryOptions[skip]=1&limit=0', undefined, ['limit']],
  ['GET', '/applications?queryOptions[skip]=1&skip=2', undefined, ['skip']],
  ['GET', '/applications?queryOptions[skip]=1&start=2', undefined, ['start']],
  ['GET', `${PARSERS}?limit=abc&sort[colour]=1`, undefined, ['limit', 'sort.colour']],
  ['GET', `${PARSERS}?options[limit]=abc`, undefined, ['options.limit']],
  ['GET', `${PARSERS}?filter[name]=(&regex=true`, undefined, ['filter.name']],
  ['DELETE', `${COMPONENT}?mode=burn`, undefined, ['mode']],
  ['DELETE', `${COMPONENT}?colour=red&mode=move`, undefined, ['colour']],
  ['DELETE', COMPONENT, { options: { mode: 'burn' } }, ['options.mode']],
  ['DELETE', COMPONENT, { options: { mode: 'move' }, colour: 'red' }, ['colour']],
  ['DELETE', COMPONENT, { options: { mode: 'move', colour: 'red' } }, ['options.colour']],
  ['DELETE', COMPONENT, undefined, ['options.mode']],
])(
  '%s %s reports wrong members by the names that the caller wrote (%j)',
  async (method, path, body, names) => {
    const { members, message } = await refusalOf(method, path, body);
    expect(members).toEqual(names);
    for (const name of names) expect(message).toContain(` ${name}: `);
  },
);

test.each([
  ['queryOptions[skip]=1&skip=2', 'skip: is given twice, with different values: see queryOptions.skip'],
  ['skip=1&start=2', 'start: contradicts skip'],
])('a contradiction in %s names both places', async (query, reported) => {
  expect((await refusalOf('GET', `/applications?${query}`)).message).toContain(reported);
});
