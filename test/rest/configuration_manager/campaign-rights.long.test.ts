import { expect, test } from 'vitest';
import { openCampaigns } from '../../helpers/devices/campaigns.ts';
import { createPerson, createRobot, sendAs, signIn } from '../../helpers/people.ts';
import { unique } from '../../helpers/procedures.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({}, { works: true });
const { manager, writer, authorization, done, checked, reached, outcomes } = await openCampaigns(service);

test('a campaign names only devices that its reader may see', async () => {
  const { treeId, names } = await checked(1);
  const selection = { names };
  const { id } = await manager.createCampaign({ name: unique('Hidden'), treeId, selection });
  const { data: group } = await authorization.createGroup({ group: { name: unique('Few') } } as never);
  const gbac = { read: [group._id], write: [group._id] };
  const { automationgateway } = await service.as('admin');
  await automationgateway.updateHost({ kind: 'cli', name: names[0] ?? '', updates: { gbac } } as never);
  const selections = async (as: 'admin' | 'apiread') => {
    const { configurationManager: reader } = await service.as(as);
    const listed = (await reader.listCampaigns({ limit: 1000 })).list.find((one) => one.id === id);
    return [(await reader.getCampaign({ id })).selection, listed?.selection];
  };
  expect(await selections('apiread')).toEqual([{ names: ['********'] }, { names: ['********'] }]);
  expect(await selections('admin')).toEqual([selection, selection]);
});

test('a service account approves no campaign and no proposal of the user who created it', async () => {
  const { treeId, names } = await checked(1);
  const author = await createPerson(service, ['admin']);
  const token = await signIn(service, author);
  const as = (method: string, path: string, body?: unknown) =>
    sendAs(service, token, method, `/configuration_manager${path}`, body);
  const own = await createRobot(service, token, ['engineering']);
  const another = await signIn(service, await createPerson(service, ['admin']));
  const others = await createRobot(service, another, ['engineering']);
  const created = await as('POST', '/campaigns', { name: unique('Own'), treeId, selection: { names } });
  const { id } = created.json as { id: string };
  const { digest } = await reached(id, 'review');
  const approve = (by: string) =>
    sendAs(service, by, 'POST', `/configuration_manager/campaigns/${id}/approve`, { digest });
  const rejected = await approve(own);
  expect(rejected.status, rejected.text).toBe(403);
  expect(rejected.text).toContain('another user must approve it');
  const [{ remediationId = '' } = {}] = (await manager.listCampaignDevices({ id })).list;
  const { configSha256 } = await manager.getRemediation({ id: String(remediationId) } as never);
  const single = await sendAs(
    service,
    own,
    'POST',
    `/configuration_manager/remediations/${remediationId}/approve`,
    { configSha256 },
  );
  expect(single.status, single.text).toBe(403);
  expect((await approve(others)).status).toBe(200);
});

test('an approver who reads masks approves a campaign by another digest than an admin', async () => {
  const mask = (configurationSecrets: 'masked' | 'shown') =>
    done('PUT', '/authorization/access_default', { unlisted: 'readers', configurationSecrets });
  const { treeId, names } = await checked(1);
  await mask('masked');
  try {
    const name = unique('masked');
    const { id } = await writer.createCampaign({
      name,
      treeId,
      selection: { names },
      removeDisallowed: true,
    });
    const { digest } = await reached(id, 'review', 'error');
    const path = `/configuration_manager/campaigns/${id}`;
    const read = await service.send('engineering', 'GET', path);
    const { digest: own } = read.json as { digest: string };
    expect(own).not.toBe(digest);
    const approve = (given: string) =>
      service.send('engineering', 'POST', `${path}/approve`, { digest: given });
    expect((await approve(digest)).status).toBe(409);
    expect(await approve(own)).toMatchObject({ status: 200, json: { status: 'approved' } });
    await manager.startCampaign({ id });
    await reached(id, 'complete', 'error', 'stopped');
    expect(await outcomes(id)).toEqual(['applied']);
  } finally {
    await mask('shown');
  }
});
