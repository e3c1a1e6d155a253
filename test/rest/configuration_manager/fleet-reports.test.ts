import { expect, test } from 'vitest';
import { issuePathsOf, rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({}, { works: true });
const { configurationManager: manager } = await service.as('admin');

const backUp = (texts: Record<string, string>, date = '2026-02-03T04:05:06.000Z') =>
  manager.importBackups({
    backups: Object.entries(texts).map(([name, rawConfig]) => ({ name, rawConfig, date })) as never,
  });

test('a text and an expression find the same lines of the newest configurations, page by page', async () => {
  await backUp({ 'find-1': 'hostname find-1\nntp server 192.0.2.1\n' }, '2026-01-01T00:00:00.000Z');
  await backUp({
    'find-1': 'hostname find-1\r\nntp server 192.0.2.9\r\n',
    'find-2': 'ntp server 192.0.2.9\nntp server 192.0.2.8\n',
    'find-3': '=cmd\n',
  });
  const byText = await manager.findInBackups({ text: 'ntp server' });
  expect(byText.total).toBe(3);
  expect(byText.hits.map(({ device, line, text }) => [device, line, text])).toEqual([
    ['find-1', 2, 'ntp server 192.0.2.9'],
    ['find-2', 1, 'ntp server 192.0.2.9'],
    ['find-2', 2, 'ntp server 192.0.2.8'],
  ]);
  expect(await manager.findInBackups({ regex: '^ntp\\s+server' })).toEqual(byText);
  expect(await manager.findInBackups({ regex: '^NTP', ignoreCase: true, start: 1, limit: 1 })).toEqual({
    total: 3,
    hits: byText.hits.slice(1, 2),
  });
  expect((await manager.findInBackups({ text: 'NTP SERVER', ignoreCase: true })).total).toBe(3);
  expect((await manager.findInBackups({ text: '192.0.2.1', latestOnly: false })).total).toBe(1);
  const csv = await manager.findInBackupsAsCsv({ text: '=' });
  expect(csv).toMatch(/^device,backupId,line,text\r\nfind-3,[0-9a-f]{24},1,'=cmd\r\n$/);
});

test('a search needs either a text or an expression that RE2 accepts', async () => {
  expect(await issuePathsOf(manager.findInBackups({}))).toEqual(['text']);
  expect(await issuePathsOf(manager.findInBackups({ text: 'a', regex: 'b' }))).toEqual(['regex']);
  expect(await issuePathsOf(manager.findInBackups({ regex: '(a' }))).toEqual(['regex']);
  expect((await rejectionOf(manager.findInBackups({ regex: '(?=a)' }))).message).toContain('look-arounds');
});

test('the rules of a tree say which devices miss them, and the newest reports are a CSV file', async () => {
  const { id: treeId } = await manager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
  const base = { treeId, version: 'initial', nodePath: 'base' };
  await manager.setNodeConfig({
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template: 'hostname {/.+/}\nntp server 192.0.2.9\n', variables: {} },
    updateVariables: true,
  } as never);
  const names = ['rule-1', 'rule-2', 'rule-3'];
  await backUp({
    'rule-1': 'hostname rule-1\nntp server 192.0.2.9\n',
    'rule-2': 'hostname rule-2\n',
    'rule-3': 'hostname rule-3\n',
  });
  await manager.addNodeDevices({ ...base, devices: names } as never);
  const { batchId } = await manager.runCompliance({ options: base } as never);
  await until(
    'the end of the batch',
    async () => {
      const { status } = await manager.getBatchStatus({ batchId });
      return status === 'running' ? undefined : status;
    },
    60,
  );
  const found = await manager.listRules({ treeId, text: 'NTP' });
  expect(found).toMatchObject({
    total: 1,
    devices: 3,
    rules: [
      {
        rule: 'ntp server 192.0.2.9',
        parents: [],
        nodePath: 'base',
        devices: { pass: 1, fail: 2 },
        failing: ['rule-2', 'rule-3'],
      },
    ],
  });
  expect((await manager.listRules({ treeId, version: 'initial' })).total).toBe(2);
  const csv = await manager.exportReportsAsCsv({ treeId });
  expect(csv.split('\r\n')).toHaveLength(5);
  expect(csv).toContain('rule-2,initial,base,');
  const pdf = Buffer.from(await manager.exportReportsAsPdf({ treeId }), 'base64').toString('latin1');
  expect(pdf).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
  const path = `/configuration_manager/compliance_reports/export/pdf?treeId=${treeId}`;
  const sent = await service.send('apiread', 'GET', path);
  expect(sent).toMatchObject({ status: 200, headers: { 'content-type': 'application/pdf' } });
  expect(sent.text.slice(0, 5)).toBe('%PDF-');
});
