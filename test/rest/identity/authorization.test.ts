import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

type Views = { results: { path: string; provenance: string }[]; total: number };

async function views(query = ''): Promise<Views> {
  const answer = await service.send('apiread', 'GET', `/authorization/views${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Views;
}
const paths = ({ results }: Views) => results.map(({ path }) => path);

/** The areas of contract/endpoints#areas. */
const AREAS = [
  '/applications/',
  '/authorization/',
  '/automation-studio/',
  '/automationgateway/',
  '/configuration_manager/',
  '/health/',
  '/mop/',
  '/operations-manager/',
  '/orchestrator_manager/',
  '/prebuilts/',
  '/profiles/',
  '/workflow_builder/',
];

test('lists one view for each area, ordered by path, each with its path and provenance', async () => {
  const all = await views('?limit=1000');
  expect(paths(all)).toEqual(expect.arrayContaining(AREAS));
  expect(new Set(paths(all)).size).toBe(all.total);
  expect(paths(all)).toEqual(paths(all).toSorted());
  for (const view of all.results) expect(Object.keys(view).toSorted()).toEqual(['path', 'provenance']);
  expect(all.results).toContainEqual({ path: '/operations-manager/', provenance: 'OperationsManager' });
  expect(all.results).toContainEqual({ path: '/configuration_manager/', provenance: 'ConfigurationManager' });
  expect(paths(all)).toEqual(expect.arrayContaining(['/oauth/', '/audit/']));
  // What everyone may call is no view that a role opens.
  expect(paths(all)).not.toContain('/login/');
});

test('a page has 25 views by default; pages do not overlap, and the total counts all', async () => {
  const all = await views('?limit=1000');
  const first = await views();
  expect(first.results).toHaveLength(Math.min(25, all.total));
  expect(first.total).toBe(all.total);
  const walked: string[] = [];
  for (let skip = 0; skip < all.total; skip += 5) {
    const page = await views(`?skip=${skip}&limit=5`);
    expect(page.total).toBe(all.total);
    walked.push(...paths(page));
  }
  expect(walked).toEqual(paths(all));
  expect(await views(`?skip=${all.total + 5}`)).toEqual({ results: [], total: all.total });
  expect(paths(await views('?sort=path&order=-1&limit=1000'))).toEqual(paths(all).toReversed());
  const byProvenance = (await views('?sort=provenance&limit=1000')).results.map(
    ({ provenance }) => provenance,
  );
  expect(byProvenance).toEqual(byProvenance.toSorted());
});

test.each([
  ['multiEquals[path]=/mop/', ['/mop/']],
  ['multiEquals%5Bpath%5D=%2Fmop%2F', ['/mop/']],
  ['multiEquals[path]=/MOP/', []],
  ['multiEquals[path]=/mop', []],
  ['queryOptions[multiEquals][path]=/mop/', ['/mop/']],
  ['multiContains[path]=_MANAGER', ['/configuration_manager/', '/orchestrator_manager/']],
  ['multiContains[path]=%25', []],
  ['multiContains[path]=.*', []],
  ['multiStartsWith[path]=/AUTOMATION', ['/automation-studio/', '/automationgateway/']],
  ['multiStartsWith[path]=mop', []],
  ['multiStartsWith[path]=/auto&multiContains[provenance]=studio', ['/automation-studio/']],
  ['multiEquals[path]=/mop/&multiEquals[provenance]=Health', []],
  [
    'multiContains[path]=a&multiContains[provenance]=Gateway&multiStartsWith[path]=/auto',
    ['/automationgateway/'],
  ],
])('views with %s are those of the paths %j', async (query, expected) => {
  expect(paths(await views(`?${query}`))).toEqual(expected);
});

test.each([
  'sort=__proto__',
  'sort=path%3B%20DROP%20TABLE%20views',
  'limit=1e9',
  'limit=',
  'limit=1&limit=2',
  'order=2',
  'skip=-1',
  'multiEquals[name]=x',
  'multiEquals=x',
  'multiEquals[path][deep]=x',
  'x=1',
])('views with %s are rejected, and the parameter named', async (query) => {
  const answer = await service.send('admin', 'GET', `/authorization/views?${query}`);
  expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  expect(JSON.stringify((answer.json as { issues: object[] }).issues)).toContain(
    `"${query.split(/[=[]/)[0]}"`,
  );
});

test('a typed caller sends the input under the names of the contract', async () => {
  const typed = await service.as('apiread');
  const page = await typed.authorization.listViews({
    queryOptions: { multiEquals: { path: '/mop/' }, limit: 1 },
  });
  expect(page).toEqual({ results: [{ path: '/mop/', provenance: 'Mop' }], total: 1 });
});

test('every REST endpoint is a method, and nothing else is', async () => {
  const answer = await service.send('apiread', 'GET', '/authorization/methods');
  const { results, total } = answer.json as {
    results: { provenance: string; name: string; route: { verb: string; fullPath: string } }[];
    total: number;
  };
  expect(results).toHaveLength(total);
  expect(results.map(({ route }) => `${route.verb} ${route.fullPath}`).toSorted()).toEqual(
    operations.map(({ method, path }) => `${method.toLowerCase()} ${path}`).toSorted(),
  );
  expect(new Set(results.map(({ provenance, name }) => `${provenance}.${name}`)).size).toBe(total);
  expect(results).toContainEqual({
    provenance: 'Authorization',
    name: 'changePassword',
    deprecated: false,
    route: {
      verb: 'put',
      path: '/accounts/:accountId/password',
      fullPath: '/authorization/accounts/:accountId/password',
    },
  });
  const found = await service.send(
    'apiread',
    'GET',
    '/authorization/methods?equals=patch&equalsField=route.verb&limit=2',
  );
  expect((found.json as { results: object[] }).results).toHaveLength(2);
});

test('what a seeded role lists is what the guard lets its holders do', async () => {
  const answer = await service.send('admin', 'GET', '/authorization/roles?equals=apiwrite&equalsField=name');
  const [role] = (answer.json as { results: { allowedMethods: { name: string; provenance: string }[] }[] })
    .results;
  const listed = role?.allowedMethods.map(({ provenance, name }) => `${provenance}.${name}`) ?? [];
  const allowed = operations.filter(
    ({ meta: { audience } }) => Array.isArray(audience) && audience.includes('apiwrite'),
  );
  expect(listed.toSorted()).toEqual(allowed.map(({ permission }) => permission).toSorted());
});
