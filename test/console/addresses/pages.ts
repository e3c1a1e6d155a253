import type { openHarbour } from '../../helpers/console/harbour.ts';
import { createGroup } from '../../helpers/people.ts';
import { loop, success, task, variable, workflowOf } from '../../helpers/workflows.ts';
import { all, choose, fill, list, main, press, type Row } from './use.ts';

type Harbour = Awaited<ReturnType<typeof openHarbour>>;

/** Stores what the pages below show, with more than one of what they compare. */
async function store({ service, admin, done, run, tree, backUp, startJob }: Harbour) {
  const rules = Array.from({ length: 301 }, (_, index) => `logging host 192.0.2.${index}`).join('\n');
  const berths = await tree(`hostname berth\n${rules}\n{d/}ip http server\n`);
  await berths.child('base', 'north');
  await berths.place('base', ['quay-1', 'quay-2']);
  await admin.configurationManager.createVersion({ treeId: berths.id, version: 'v2', base: 'initial' });
  await run(berths.at('base'));
  await backUp({ 'quay-1': 'hostname berth\nip http server\n' }, '2026-03-03T00:00:00.000Z');
  const [report] = await run(berths.at('base'));
  const { list: backups } = await done<{ list: { id: string; name: string }[] }>('POST', '/backups', {
    options: { filter: { name: 'quay-1' } },
  });
  const { created: workflow } = await admin.automationStudio.createWorkflow({
    automation: {
      ...workflowOf('Visit three', {
        d: variable('list', [1, 2, 3]),
        a: task('forEach', { data_array: '$var.job.list' }, { current_item: '$var.job.item' }),
        b: { ...variable('seen', '$var.job.item'), summary: 'Visit one' },
        c: variable('last', true),
      }),
      transitions: {
        workflow_start: { d: success },
        d: { a: success },
        a: { b: loop, c: success },
        b: {},
        c: { workflow_end: success },
      },
    },
  });
  const visits = await startJob('Visit three');
  const group = await createGroup(service, { name: 'Berths' });
  const profile = (await admin.profiles.getProfiles({ queryOptions: {} })).results[0];

  const { created: template } = await admin.automationStudio.createTemplate({
    template: { name: 'Berth lines', group: 'Quays', type: 'jinja2', template: 'berth {{ number }}' },
  });

  const { data: project } = await admin.automationStudio.createProject({ name: 'Piers' });

  return {
    berths,
    report,
    backups,
    workflow,
    visits,
    profile,
    groupId: group,
    projectId: project._id,
    templateId: template._id,
  };
}

/** Returns the table of pages by their routes, the paths of other objects by theirs, and the group of which its user is a member. */
export async function pagesOf(
  harbour: Harbour,
): Promise<{ pages: Record<string, Row>; objects: Record<string, string>; groupId: string }> {
  const { berths, report, backups, workflow, visits, profile, groupId, projectId, templateId } =
    await store(harbour);
  const pages: Record<string, Row> = {
    '/jobs': {
      path: '/jobs',
      views: [
        {
          use: all(
            choose('State', 'error'),
            choose('Started by', { index: 0 }),
            choose('Time range', 'all'),
            list('pa'),
          ),
        },
        { use: choose('Started by', { label: 'Me' }) },
      ],
    },
    '/jobs/$jobId': {
      path: `/jobs/${visits}`,
      views: [
        {
          use: all(press('Table view'), press('Visit one'), (page) =>
            page.getByLabel('Iteration').selectOption({ index: 0 }),
          ),
        },
        { use: press('Timeline view') },
      ],
    },
    '/work': {
      path: '/work',
      views: [
        { use: all(choose('Claimed by', { index: 1 }), choose('Group', { label: 'Berths' })) },
        { from: `?job=${harbour.waiting}`, use: list('site') },
      ],
    },
    '/compliance': {
      path: '/compliance',
      views: [
        {
          use: all(
            choose('Golden config', berths.id),
            choose('Version', 'initial'),
            choose('Node', 'base'),
            choose('Device group', { label: 'Quays' }),
            press(/^fail/, 'link'),
            list('quay'),
          ),
        },
        {
          from: `?tree=${berths.id}&version=initial`,
          use: async (page) => {
            await press('Run compliance')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByRole('button', { name: /^Check / }).click();
            await dialog.waitFor({ state: 'detached' });
            await main(page).getByRole('region', { name: 'Runs' }).getByText('complete').waitFor();
          },
        },
      ],
    },
    '/reports/$reportId': {
      path: `/reports/${report?.id}`,
      elsewhere: ['batch'],
      views: [
        { use: all(choose('Rules of', { index: 1 }), choose('Severity', 'warning'), press(/^Show all/)) },
        { use: press('Compare with previous', 'link') },
        { use: all((page) => main(page).locator('.issue button').nth(3).click()) },
        {
          use: async (page) => {
            await main(page).getByText('Try other weights').click();
            await fill('Weight of an error', '5')(page);
            await fill('Weight of a warning', '3')(page);
          },
        },
      ],
    },
    '/proposals': {
      path: '/proposals',
      views: [{ use: all(press(/^proposed/, 'link'), list('quay')) }],
    },
    '/proposals/$proposalId': {
      path: `/proposals/${harbour.proposalIds[0]}`,
      elsewhere: ['tab'],
      views: [],
    },
    '/rules': {
      path: '/rules',
      views: [
        { use: all(choose('Golden config', berths.id), choose('Version', 'initial'), list('logging')) },
      ],
    },
    '/campaigns/$campaignId': {
      path: `/campaigns/${harbour.campaignId}`,
      views: [{ use: press(/^proposed/, 'link') }, { use: press('the devices of wave 1', 'link') }],
    },
    // Its pages of ten are walked where a campaign has more devices (compliance/campaigns); the others are of the list of proposals.
    '/campaigns/$campaignId/proposals': {
      path: `/campaigns/${harbour.campaignId}/proposals`,
      views: [],
      elsewhere: ['from', 'state', 'tab'],
    },
    '/devices': {
      path: '/devices',
      views: [
        { use: all(choose('Field of the filter', 'ostype'), choose('Origin', { index: 1 }), list('cisco')) },
      ],
    },
    '/devices/$name': {
      path: '/devices/quay-1',
      views: [
        {
          use: all(press('Backups', 'link'), (page) =>
            main(page).getByRole('table', { name: 'Backups' }).locator('tbody button').first().click(),
          ),
        },
        {
          use: async (page) => {
            await press('Backups', 'link')(page);
            for (const row of [1, 2]) await main(page).getByLabel(`Select row ${row}`).check();
            await press('Compare')(page);
            await press('Swap sides')(page);
          },
        },
        {
          use: all(press('Jobs', 'link'), choose('Variable of the job that names the device', 'deviceName')),
        },
        { use: all(press('Commands', 'link'), list('')) },
      ],
    },
    '/device-groups/$groupId': { path: `/device-groups/${harbour.groupId}` },
    '/inventory/sources/$sourceId': { path: '/inventory/sources/none', views: [] },
    '/backups': {
      path: '/backups',
      views: [
        {
          use: all(
            press('Search', 'link'),
            fill('Search for', 'HOST.*'),
            choose('As', 'regex'),
            fill('Platforms', 'cisco-ios, arista-eos'),
            (page) => main(page).getByLabel('Ignore case').check(),
            (page) => main(page).getByLabel('Include older backups').check(),
            press('Search'),
          ),
        },
      ],
    },
    '/backups/runs/$runId': { path: '/backups/runs/none', views: [] },
    '/commands': {
      path: '/commands',
      views: [
        {
          use: async (page) => {
            await fill('Name contains', 'quay')(page);
            await fill('Platform contains', 'cisco')(page);
            await choose('Group', { label: 'Quays (1)' })(page);
            await fill('One device by name', 'pier-9')(page);
            await press('Add device')(page);
            await main(page).getByLabel('quay-2').uncheck();
          },
        },
        {
          use: async (page) => {
            await press('Select by properties')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Name pattern').fill('quay-*');
            await dialog.getByRole('button', { name: 'Select 3 devices' }).click();
            await dialog.waitFor({ state: 'detached' });
          },
        },
        { use: all(press('Gateway history', 'link'), list('quay')) },
      ],
    },
    '/trees/$treeId': {
      path: `/trees/${berths.id}`,
      views: [
        {
          use: all(
            choose('Version', 'initial'),
            choose('What changed since', 'v2'),
            press(/^north/, 'link'),
            press('Rules', 'link'),
          ),
        },
        {
          use: async (page) => {
            await press('Add platform')(page);
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Platform').selectOption('arista-eos');
            await dialog.getByRole('button', { name: 'Write its rules' }).click();
            await dialog.waitFor({ state: 'detached' });
            await choose('Backup', String(backups[0]?.id))(page);
          },
        },
      ],
    },
    '/text-templates': {
      path: '/text-templates',
      views: [{ use: all(choose('Type', 'jinja2'), list('berth')) }],
    },
    '/automations': {
      path: '/automations',
      views: [
        { use: list('vis') },
        { use: all(press('Triggers', 'link'), choose('Type', 'manual'), list('hand')) },
      ],
    },
    '/integrations/$name': { path: '/integrations/sites' },
    '/integration-models/$name': { path: '/integration-models/Sites:1.0' },
    '/workflows/$workflowId': {
      path: `/workflows/${workflow._id}`,
      views: [
        {
          use: all(press('Graph', 'link'), (page) =>
            main(page).getByRole('group', { name: 'Task b: Visit one' }).click(),
          ),
        },
      ],
    },
    '/admin/profiles/$profileId': {
      path: `/admin/profiles/${profile?.metadata ? profile.profile.id : ''}`,
      views: [{ use: press('Compare with the active profile', 'link') }],
    },
    '/admin/audit': {
      path: '/admin/audit',
      views: [
        {
          use: all(
            fill('Account', 'admin'),
            fill('Name of a document', 'quay-1'),
            fill('Id of a token, session or job', 'none'),
            choose('Outcome', 'ok'),
            choose('Time', 'ever'),
          ),
        },
        { use: list('create') },
      ],
    },
    '/admin/git/$remoteId': { path: '/admin/git/none', views: [] },
    '/admin/git-runs/$runId': { path: '/admin/git-runs/none', views: [] },
    '/admin/notifications': {
      path: '/admin/notifications',
      views: [
        { use: list('desk') },
        { use: all(press('Channels', 'link'), list('desk')) },
        {
          use: all(
            press('Deliveries', 'link'),
            choose('State', 'dead'),
            choose('Channel', { label: 'Desk' }),
          ),
        },
      ],
    },
    '/admin/secrets': {
      path: '/admin/secrets',
      views: [{ use: list('var') }, { use: press('Uses', 'link') }],
    },
    '/admin/sign-in/$providerId': { path: '/admin/sign-in/none', views: [] },
  };
  const objects: Record<string, string> = {
    '/admin/accounts/$accountId': `/admin/accounts/${harbour.account.id}`,
    '/admin/groups/$groupId': `/admin/groups/${groupId}`,
    '/automations/$automationId': `/automations/${harbour.automationId}`,
    '/text-templates/$templateId': `/text-templates/${templateId}`,
    '/projects/$projectId': `/projects/${projectId}`,
    '/work/$taskId': '/work',
    // Objects that the service of this test has none of: what their pages show without one.
    '/adapter-packages/$type': '/adapter-packages/none',
    '/adapter-catalogues/$type': '/adapter-catalogues/none',
    '/inventory/runs/$runId': '/inventory/runs/none',
  };
  return { pages, objects, groupId };
}
