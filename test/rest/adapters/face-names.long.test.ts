import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { exportedWorkflows } from '../../helpers/documents/exported-workflows.ts';
import { FACE_MAPS, FACED } from '../../helpers/integrations/faced-systems.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../../helpers/integrations/integrations.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

/*
 * The tasks of two adapters by the names that public exports use, with their values, and the requests that the published
 * interfaces of both systems have for them.
 */

const payload = { title: 'Lab' };
/** Adapter, task, its values as exports give them, the request that is expected. */
const TASKS = [
  ['Gitlab', 'getV4ProjectsId', { id: '7' }, 'GET /api/v4/projects/7'],
  ['Gitlab', 'postV4Projects', { body: payload }, 'POST /api/v4/projects'],
  [
    'Gitlab',
    'getV4GroupsIdProjects',
    {
      ...{ id: 'net/lab', archived: '', visibility: 'private', search: 'edge', orderBy: 'name', sort: 'asc' },
      ...{ simple: true, page: 2, perPage: 50 },
    },
    'GET /api/v4/groups/net%2Flab/projects?visibility=private&search=edge&order_by=name&sort=asc&simple=true&page=2&per_page=50',
  ],
  [
    'Gitlab',
    'getV4ProjectsIdRepositoryBranchesBranch',
    { id: '7', branch: 'main' },
    'GET /api/v4/projects/7/repository/branches/main',
  ],
  [
    'Gitlab',
    'getV4ProjectsIdRepositoryCommitsShaDiff',
    { id: '7', sha: 'f00d' },
    'GET /api/v4/projects/7/repository/commits/f00d/diff',
  ],
  [
    'Gitlab',
    'getV4ProjectsIdRepositoryFiles',
    { id: '7', filePath: 'a/b.cfg', ref: 'main' },
    'GET /api/v4/projects/7/repository/files?file_path=a%2Fb.cfg&ref=main',
  ],
  [
    'Gitlab',
    'postV4ProjectsIdRepositoryBranches',
    { id: '7', body: payload },
    'POST /api/v4/projects/7/repository/branches',
  ],
  [
    'Gitlab',
    'postV4ProjectsIdRepositoryCommits',
    { id: '7', body: payload },
    'POST /api/v4/projects/7/repository/commits',
  ],
  [
    'Gitlab',
    'postV4ProjectsIdMergeRequests',
    { id: '7', body: payload },
    'POST /api/v4/projects/7/merge_requests',
  ],
  [
    'Gitlab',
    'putV4ProjectsIdVariablesKey',
    { id: '7', key: 'TOKEN', body: payload },
    'PUT /api/v4/projects/7/variables/TOKEN',
  ],
  [
    'Gitlab',
    'getV4ProjectsIdMergeRequestsMergeRequestIdVersions',
    { id: '7', mergeRequestIid: '3' },
    'GET /api/v4/projects/7/merge_requests/3/versions',
  ],
  [
    'Jira',
    'postRestapi2issue',
    { body: payload, updateHistory: true },
    'POST /rest/api/2/issue?updateHistory=true',
  ],
  ['Jira', 'postRestapi2project', { body: payload }, 'POST /rest/api/2/project'],
  [
    'Jira',
    'getRestapi2issueissueIdOrKeytransitions',
    { issueIdOrKey: 'NET-1', expand: '', transitionId: '31', skipRemoteOnlyCondition: false },
    'GET /rest/api/2/issue/NET-1/transitions?transitionId=31&skipRemoteOnlyCondition=false',
  ],
  [
    'Jira',
    'postRestapi2issueissueIdOrKeytransitions',
    { issueIdOrKey: 'NET-1', body: payload },
    'POST /rest/api/2/issue/NET-1/transitions',
  ],
] as const;

const service = await openJobs();
const { store, start, comes } = service;
const lab = await openWebService((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"done":true}');
});
let served = 0;
afterAll(() => {
  process.stdout.write(`face: ${served} of ${TASKS.length} tasks of exports served under their names\n`);
});
beforeAll(async () => {
  for (const [type, { base, paths }] of Object.entries(FACED)) {
    await storeModel(service, documentOf(`Lab ${type}`, paths));
    const connection = { ...serverAt(lab.port, 'http', base), face: { type, map: FACE_MAPS[type] ?? {} } };
    const integration = integrationOf(`lab-${type}`, `Lab ${type}:1`, connection);
    const made = await service.send('admin', 'POST', '/integrations', integration);
    expect(made.status, made.text).toBe(200);
  }
});

test.each(Object.keys(FACED))(
  'a workflow with the tasks that exports name of %s sends the requests of the document',
  async (type) => {
    lab.seen.length = 0;
    const own = TASKS.filter(([app]) => app === type);
    const tasks = own.map(([app, name, values], index) => {
      const about = { app, locationType: app, location: 'Adapter', type: 'automatic' as const };
      const outgoing = { result: `$var.job.r${index}` };
      return [`a${index}`, task(name, { ...values, adapter_id: `lab-${type}` }, outgoing, about)] as const;
    });
    const stored = await store(workflowOf(`By the names of ${type}`, Object.fromEntries(tasks)));
    expect((stored as { errors?: unknown[] }).errors ?? []).toEqual([]);
    const job = await comes((await start(`By the names of ${type}`))._id, 'complete');
    expect(lab.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
      own.map(([, , , request]) => request),
    );
    for (const [index, [, , values]] of own.entries()) {
      const sent = lab.seen[index]?.body ?? '';
      expect(sent === '' ? {} : JSON.parse(sent)).toEqual('body' in values ? payload : {});
      expect(job.variables?.[`r${index}`]).toMatchObject({ icode: 'AD.200', response: { done: true } });
    }
    served += own.length;
  },
);

test('no task of these adapters in the exports at hand is missing here', ({ skip }) => {
  const exported = exportedWorkflows();
  if (exported.length === 0) return skip('no real exports on this machine');
  const known = new Set<string>(TASKS.map(([type, name]) => `${type}.${name}`));
  const used = exported
    .flatMap(({ workflow }) => Object.values(workflow.tasks))
    .filter(({ app }) => Object.keys(FACED).includes(String(app)))
    .map(({ app, name }) => `${app}.${name}`);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((task) => !known.has(task))).toEqual([]);
});
