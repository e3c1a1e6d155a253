import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import type { Remediation, RemediationPreview } from '#db/schemas/golden-config/remediation.ts';
import { sql } from '#db/statement.ts';
import { specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import type { Role } from '#server/kernel/roles.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';
import { newReport } from '../../helpers/documents/reports.ts';

const { db, send, done, groupOf } = await openConfiguration();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const TEMPLATE = 'interface Gi0/1\n <e/>no shutdown\nntp server 192.0.2.1\n{d/}ip http server\n';
const RUNNING = 'interface Gi0/1\n shutdown\nip http server\n';

type Given = {
  template?: string;
  running?: string;
  report?: Partial<Parameters<typeof newReport>[0]>;
  gbac?: object;
};

/** Import a backup of a device. @returns its id */
async function backUp(name: string, rawConfig: string, date = new Date()): Promise<string> {
  const id = newId();
  const backup = { id, name, rawConfig, date: date.toISOString() };
  await done('POST', '/import/backups', { backups: [backup] });
  return id;
}

/** A device with a backup, a tree with rules, and a report of the one against the other. */
async function reported({ template = TEMPLATE, running = RUNNING, report = {}, gbac }: Given = {}) {
  const device = `edge ${newId()}`;
  const backupId = await backUp(device, running);
  const name = `tree ${newId()}`;
  const { id: treeId } = await done<{ id: string }>('POST', '/configs', { name, deviceType: 'cisco-ios' });
  await setRules(treeId, template);
  if (gbac) await done('PUT', `/configs/${treeId}`, { options: { gbac } });
  const made: NewReport = newReport({
    treeId,
    deviceName: device,
    totals: [1, 2, 0, 1],
    configSha: sha256(running),
    ...report,
  });
  await storeReports(db, [made]);
  return { device, backupId, treeId, reportId: made.id };
}

const setRules = (treeId: string, template: string) =>
  done('PUT', '/node/config', {
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template, variables: {} },
    updateVariables: false,
  });

const ask = (reportIds: string[], options: object = {}, as: Role = 'apiwrite') =>
  send('POST', '/remediations', { options: { reportIds, ...options } }, { as });

/** One proposal, which must come about. */
async function propose(reportId: string, options: object = {}): Promise<Remediation> {
  const answer = await ask([reportId], options);
  if (answer.status !== 200) throw new Error(answer.text);
  const [proposal] = (answer.json as { data: Remediation[] }).data;
  if (!proposal) throw new Error('nothing was proposed');
  return proposal;
}

const read = (id: string) => done<Remediation>('GET', `/remediations/${id}`);
const approve = (id: string, configSha256: string, as: Role = 'engineering') =>
  send('POST', `/remediations/${id}/approve`, { configSha256, comment: 'looks right' }, { as });

test('a proposal lists the commands, the commands that undo them, and the verdict afterwards', async () => {
  const { device, treeId, reportId } = await reported();
  const proposal = await propose(reportId);
  expect(proposal).toMatchObject({
    reportId,
    deviceName: device,
    treeId,
    version: 'initial',
    nodePath: 'base',
    status: 'proposed',
    config: 'interface Gi0/1\n no shutdown\nntp server 192.0.2.1',
    rollback: 'no ntp server 192.0.2.1\ninterface Gi0/1\n shutdown',
    predicted: { totals: { errors: 0, warnings: 1, infos: 0, passes: 3 }, score: 75, grade: 'fail' },
    risk: '',
    approvals: [],
    result: null,
    baseSha256: sha256(RUNNING),
    manual: [],
  });
  expect(proposal.changes.map((one) => [one.id, one.parents, one.old, one.new, one.selected])).toEqual([
    ['c1', ['interface Gi0/1'], 'shutdown', 'no shutdown', true],
    ['c2', [], null, 'ntp server 192.0.2.1', true],
    ['c3', [], 'ip http server', null, false],
  ]);
  expect(Date.parse(proposal.expires) - Date.parse(proposal.created)).toBe(72 * 3_600_000);
  expect(await read(proposal.id)).toEqual(proposal);
});

test('the audit trail names the device of a proposal', async () => {
  const { device, reportId } = await reported();
  const { id } = await propose(reportId);
  const [row] = await db.execute<{ document: string }>(
    sql`select doc ->> 'document' as document from audit where doc #>> '{document,id}' = ${id}`,
  );
  expect(JSON.parse(row?.document ?? '')).toEqual({ kind: 'remediations', id, name: device });
});

test('severities, types and removeDisallowed select the changes', async () => {
  const { reportId } = await reported();
  const configOf = async (options: object) => (await propose(reportId, options)).config;
  expect(await configOf({ severities: ['error'] })).toBe('interface Gi0/1\n no shutdown');
  expect(await configOf({ types: ['disallowed'], removeDisallowed: true })).toBe('no ip http server');
  expect((await ask([reportId], { severities: ['fatal'] })).status).toBe(400);
});

test('missing reports, reports without a verdict and too many reports are rejected, and nothing is proposed', async () => {
  const { reportId, treeId } = await reported();
  const unknown = newId();
  const answer = await ask([reportId, unknown]);
  expect([answer.status, answer.text]).toEqual([404, expect.stringContaining(unknown)]);
  const failed = await reported({ report: { status: 'error', error: 'no answer', findings: null } });
  expect((await ask([failed.reportId])).status).toBe(422);
  expect((await ask([])).status).toBe(400);
  expect(
    (await done<{ total: number }>('POST', '/remediations/search', { options: { filter: { treeId } } }))
      .total,
  ).toBe(0);
});

test('a device that changed since its report, or has no backup, is 409', async () => {
  const { device, reportId } = await reported();
  await backUp(device, 'hostname other\n', new Date(Date.now() + 1000));
  const changed = await ask([reportId]);
  expect([changed.status, changed.text]).toEqual([409, expect.stringContaining('changed since report')]);
  const alone = await reported({ report: { deviceName: `unknown ${newId()}` } });
  expect((await ask([alone.reportId])).text).toContain('back up the device first');
});

test('a report on a backup proposes against that backup, whatever the device has now', async () => {
  const { device, backupId, treeId } = await reported();
  const made = newReport({ treeId, deviceName: device, backupId, configSha: sha256(RUNNING) });
  await storeReports(db, [made]);
  await backUp(device, 'hostname other\n', new Date(Date.now() + 1000));
  const proposal = await propose(made.id);
  expect(proposal).toMatchObject({
    basis: 'backup',
    backupId,
    baseSha256: sha256(RUNNING),
    status: 'proposed',
  });
  expect((await done<RemediationPreview>('GET', `/remediations/${proposal.id}/preview`)).stale).toBe(false);
});

test('rules that have a fault by now are 422, a node that is gone is 409', async () => {
  const { treeId, reportId } = await reported();
  await db.execute(sql`update ${specs} set doc = jsonb_set(doc, '{template}', '"ntp server {{ gone }}"')
    where version_id in (select id from ${treeVersions} where tree_id = ${treeId})`);
  const faulty = await ask([reportId]);
  expect([faulty.status, faulty.text]).toEqual([422, expect.stringContaining('gone')]);
  const elsewhere = await reported({ report: { nodePath: 'base/none' } });
  expect((await ask([elsewhere.reportId])).status).toBe(409);
});

test('a configuration that nests deeper than any device’s is 422', async () => {
  const running = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}line ${depth}`).join('\n');
  const { reportId } = await reported({ running });
  expect((await ask([reportId])).status).toBe(422);
});

test('the preview shows what changes, section by section', async () => {
  const { reportId, device } = await reported({ running: `hostname a\n${RUNNING}` });
  const { id } = await propose(reportId);
  const preview = await done<RemediationPreview>('GET', `/remediations/${id}/preview`, undefined, {
    as: 'apiread',
  });
  expect(preview).toMatchObject({
    stale: false,
    config: 'interface Gi0/1\n no shutdown\nntp server 192.0.2.1',
  });
  expect(preview.diff).toEqual([
    [0, 'interface Gi0/1'],
    [-1, ' shutdown'],
    [1, ' no shutdown'],
    [1, 'ntp server 192.0.2.1'],
  ]);
  await backUp(device, 'hostname other\n', new Date(Date.now() + 1000));
  expect((await done<RemediationPreview>('GET', `/remediations/${id}/preview`)).stale).toBe(true);
});

test('choosing changes recalculates config, rollback and prediction, and drops approvals', async () => {
  const { reportId } = await reported();
  const { id, configSha256 } = await propose(reportId);
  expect((await approve(id, configSha256)).status).toBe(200);
  const chosen = await done<Remediation>('PATCH', `/remediations/${id}`, { selected: ['c1', 'c3'] });
  expect(chosen).toMatchObject({
    status: 'proposed',
    approvals: [],
    config: 'no ip http server\ninterface Gi0/1\n no shutdown',
    predicted: { totals: { errors: 0, warnings: 1, infos: 0, passes: 3 } },
  });
  expect(chosen.configSha256).not.toBe(configSha256);
  const unknown = await send('PATCH', `/remediations/${id}`, { selected: ['c1', 'c9'] });
  expect([unknown.status, issuesOf(unknown)]).toEqual([
    400,
    ['selected.1: the proposal does not have the change c9'],
  ]);
  const stamped = await send(
    'PATCH',
    `/remediations/${id}`,
    { selected: [] },
    { ifMatch: '"2020-01-01T00:00:00.000Z"' },
  );
  expect(stamped.status).toBe(409);
});

test('an account cannot approve a proposal that it made or changed, nor a text that is not the current one', async () => {
  const { reportId } = await reported();
  const answer = await ask([reportId], {}, 'admin');
  const [proposal] = (answer.json as { data: Remediation[] }).data;
  if (!proposal) throw new Error(answer.text);
  expect((await approve(proposal.id, proposal.configSha256, 'admin')).status).toBe(403);
  expect((await approve(proposal.id, '0'.repeat(64))).status).toBe(409);
  expect((await approve(proposal.id, proposal.configSha256, 'apiwrite')).status).toBe(403);
  const approved = await approve(proposal.id, proposal.configSha256);
  expect(approved.json).toMatchObject({
    status: 'approved',
    approvals: [{ configSha256: proposal.configSha256, comment: 'looks right' }],
  });
  expect((await approve(proposal.id, proposal.configSha256)).status).toBe(409);
  const other = await propose((await reported()).reportId);
  const chosen = await done<Remediation>(
    'PATCH',
    `/remediations/${other.id}`,
    { selected: ['c1'] },
    { as: 'admin' },
  );
  expect((await approve(chosen.id, chosen.configSha256, 'admin')).status).toBe(403);
});

test('what would not raise the score carries a risk and cannot be approved', async () => {
  const { reportId } = await reported();
  const { id } = await propose(reportId);
  const { risk, configSha256 } = await done<Remediation>('PATCH', `/remediations/${id}`, { selected: [] });
  expect(risk).toBe('no change is selected');
  const refused = await approve(id, configSha256);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('no change is selected')]);
});

test('applying is rejected for an incomplete proposal, and for an unknown device', async () => {
  const { reportId } = await reported();
  const { id, configSha256 } = await propose(reportId);
  const apply = (hash: string) => send('POST', `/remediations/${id}/apply`, { configSha256: hash });
  expect((await apply(configSha256)).text).toContain('only a remediation that is approved can be applied');
  await approve(id, configSha256);
  expect((await apply('0'.repeat(64))).text).toContain('does not match this hash');
  expect((await apply(configSha256)).status).toBe(404);
  expect((await read(id)).status).toBe('approved');
});

test('a proposal is stale as soon as the device has another configuration, and expires after 72 hours', async () => {
  const stale = await reported();
  const first = await propose(stale.reportId);
  await backUp(stale.device, 'hostname other\n', new Date(Date.now() + 1000));
  expect((await read(first.id)).status).toBe('stale');
  expect((await approve(first.id, first.configSha256)).text).toContain(
    'is stale: its device has had another configuration since; make a new one',
  );
  const second = await propose((await reported()).reportId);
  await db.execute(sql`update remediations set doc = jsonb_set(doc, '{expires}', '"2020-01-01T00:00:00.000Z"')
    where id = ${second.id}`);
  expect((await read(second.id)).status).toBe('expired');
  expect((await send('PATCH', `/remediations/${second.id}`, { selected: [] })).status).toBe(409);
  expect((await send('DELETE', `/remediations/${second.id}`)).json).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect((await send('GET', `/remediations/${second.id}`)).status).toBe(404);
});

test('a rejected proposal stays rejected; an approved one is not deleted', async () => {
  const one = await propose((await reported()).reportId);
  const rejected = await send(
    'POST',
    `/remediations/${one.id}/reject`,
    { reason: 'not now' },
    { as: 'engineering' },
  );
  expect(rejected.json).toMatchObject({ status: 'rejected', reason: 'not now' });
  expect((await approve(one.id, one.configSha256)).status).toBe(409);
  const two = await propose((await reported()).reportId);
  await approve(two.id, two.configSha256);
  const kept = await send('DELETE', `/remediations/${two.id}`);
  expect([kept.status, kept.text]).toEqual([409, expect.stringContaining('is approved')]);
});

test('search and counts agree, and report the current status of proposals', async () => {
  const { treeId, reportId, device } = await reported();
  const [first, second, third] = [await propose(reportId), await propose(reportId), await propose(reportId)];
  await approve(second.id, second.configSha256);
  await send('POST', `/remediations/${third.id}/reject`, { reason: 'no' });
  type Found = { list: Remediation[]; total: number };
  const search = (options: object) =>
    done<Found>('POST', '/remediations/search', { options }, { as: 'apiread' });
  const all = await search({ filter: { treeId } });
  expect([all.total, all.list.map(({ id }) => id)]).toEqual([3, [third.id, second.id, first.id]]);
  const page = await search({ filter: { deviceName: device }, start: 1, limit: 1, sort: { created: 1 } });
  expect([page.total, page.list.map(({ id }) => id)]).toEqual([3, [second.id]]);
  const counts = (query: string) => done('GET', `/remediations/counts?treeId=${treeId}${query}`);
  expect(await counts('')).toEqual({ counts: { approved: 1, proposed: 1, rejected: 1 }, total: 3 });
  await backUp(device, 'hostname other\n', new Date(Date.now() + 1000));
  expect(await counts('')).toEqual({ counts: { rejected: 1, stale: 2 }, total: 3 });
  expect((await search({ filter: { treeId, status: 'stale' } })).total).toBe(2);
  expect((await send('POST', '/remediations/search', { options: { sort: { config: 1 } } })).status).toBe(400);
});

test('an account that may not see the tree neither sees nor creates proposals of it', async () => {
  const group = await groupOf(['apiread', 'apiwrite']);
  const { treeId, reportId } = await reported({ gbac: { read: [group], write: [group] } });
  const answer = await ask([reportId], {}, 'admin');
  const [proposal] = (answer.json as { data: Remediation[] }).data;
  if (!proposal) throw new Error(answer.text);
  expect((await ask([reportId])).status).toBe(404);
  for (const path of ['', '/preview']) {
    expect(
      (await send('GET', `/remediations/${proposal.id}${path}`, undefined, { as: 'apiread' })).status,
    ).toBe(404);
  }
  const counts = `/remediations/counts?treeId=${treeId}`;
  expect(await done('GET', counts, undefined, { as: 'apiread' })).toEqual({ counts: {}, total: 0 });
  expect((await done<{ total: number }>('GET', counts)).total).toBe(1);
});

test('no proposal is made from a configuration that the caller may not read', async () => {
  const { reportId, backupId } = await reported();
  const group = await groupOf(['apiread', 'support']);
  await done('PUT', `/backups/${backupId}`, { gbac: { read: [group], write: [group] } });
  expect((await ask([reportId])).status).toBe(409);
  const answer = await ask([reportId], {}, 'admin');
  const [proposal] = (answer.json as { data: Remediation[] }).data;
  const preview = await done<RemediationPreview>('GET', `/remediations/${proposal?.id}/preview`, undefined, {
    as: 'apiread',
  });
  expect(preview.diff).toEqual([]);
});
