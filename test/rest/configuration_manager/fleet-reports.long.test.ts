import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { reportPdf } from '#server/domains/golden-config/compliance/overview/report-pdf.service.ts';
import { cliHost } from '../../helpers/gateway.ts';
import { isLong } from '../../helpers/long.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { issuePathsOf, rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({}, { works: true });
const { configurationManager: manager } = await service.as('admin');

const backUp = (texts: Record<string, string>, date = '2026-02-03T04:05:06.000Z') =>
  manager.importBackups({
    backups: Object.entries(texts).map(([name, rawConfig]) => ({ name, rawConfig, date })) as never,
  });

/** A tree with one device that meets its rules and two that do not, checked; their names begin with `prefix`. */
async function checkedFleet(prefix: string, template: string) {
  const { id: treeId } = await manager.createTree({ name: unique('Files'), deviceType: 'cisco-ios' });
  const base = { treeId, version: 'initial', nodePath: 'base' };
  await manager.setNodeConfig({
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template, variables: {} },
    updateVariables: true,
  } as never);
  const devices = [1, 2, 3].map((n) => `${prefix}-${n}`);
  for (const name of devices) {
    const host = cliHost({ name, device_type: 'cisco_ios' });
    const added = await service.send('admin', 'POST', '/automationgateway/inventory/cli', { host });
    expect(added.status, added.text).toBe(200);
  }
  await backUp(
    Object.fromEntries(
      devices.map((name, at) => [
        name,
        at === 0 && prefix === 'file' ? template : 'hostname a\nconfig system snmp community\n edit 1\n',
      ]),
    ),
  );
  await manager.addNodeDevices({ ...base, devices } as never);
  const { batchId } = await manager.runCompliance({ options: base } as never);
  await until(
    'the end of the batch',
    async () => (await manager.getBatchStatus({ batchId })).status !== 'running' || undefined,
    60,
  );
  const stored = await manager.getBatchReports({ batchId });
  return { treeId, reports: Object.fromEntries(stored.map(({ deviceName, id }) => [deviceName, id])) };
}

/** Returns the text that a PDF document shows: codes of glyphs in hexadecimal, those of embedded fonts with a map to characters. */
function textOfPdf(base64: string): string {
  const source = Buffer.from(base64, 'base64').toString('latin1');
  const objects = new Map(
    [...source.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj/gm)].map(([, id = '', body = '']) => [id, body]),
  );
  const streamOf = (body = '') => {
    const [, data = ''] = /stream\r?\n([\s\S]*)endstream/.exec(body) ?? [];
    try {
      return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
    } catch {
      return '';
    }
  };
  const fonts = new Map(
    [...source.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => {
      const [, map] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '') ?? [];
      return [name, map === undefined ? undefined : charactersOf(streamOf(objects.get(map)))];
    }),
  );
  let font: string[] | undefined;
  const lines: string[] = [];
  for (const [, name, line = ''] of [...objects.values()]
    .map(streamOf)
    .join('\n')
    .matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name !== undefined) font = fonts.get(name);
    else lines.push([...line.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => decoded(hex, font)).join(''));
  }
  return lines.join('\n');
}

/** Returns the characters of each glyph of an embedded font, by the code of the glyph. */
const charactersOf = (map: string) =>
  [...map.matchAll(/\[((?:<[0-9a-f ]+>\s*)+)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/<([0-9a-f ]+)>/g)].map(([, hex = '']) =>
      Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
    ),
  );

const decoded = (hex: string, font: string[] | undefined) =>
  font
    ? [...hex.matchAll(/.{4}/g)].map(([code]) => font[Number.parseInt(code, 16)]).join('')
    : Buffer.from(hex, 'hex').toString('latin1');

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
  expect(pdf).toMatch(/^%PDF-1\.\d.*%%EOF\s*$/s);
  const path = `/configuration_manager/compliance_reports/export/pdf?treeId=${treeId}`;
  const sent = await service.send('apiread', 'GET', path);
  expect(sent).toMatchObject({ status: 200, headers: { 'content-type': 'application/pdf' } });
  expect(sent.text.slice(0, 5)).toBe('%PDF-');
});

test.skipIf(!isLong)(
  'the devices that miss a rule are a CSV file and a PDF document, and so is one report',
  async () => {
    const { treeId, reports } = await checkedFleet(
      'file',
      'snmp-server community Lantern7 RO\nntp server 192.0.2.9\n',
    );
    const path = `/configuration_manager/compliance_reports/rules/export`;
    const csv = await service.send('apiread', 'GET', `${path}/csv?treeId=${treeId}&text=NTP`);
    expect(csv).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv' } });
    expect(csv.text.split('\r\n')).toEqual([
      'rule,parents,severity,nodePath,section,device',
      'ntp server 192.0.2.9,,warning,base,,file-2',
      'ntp server 192.0.2.9,,warning,base,,file-3',
      '',
    ]);
    expect(await manager.exportRulesAsCsv({ treeId, text: 'ntp' })).toBe(csv.text);
    expect((await service.send('apiread', 'HEAD', `${path}/csv?treeId=${treeId}`)).status).toBe(200);
    const rules = textOfPdf(await manager.exportRulesAsPdf({ treeId, text: 'ntp' }));
    expect(rules).toContain('2 of 3: warning: ntp server 192.0.2.9');
    expect(rules).toContain('file-2');
    expect(rules).not.toContain('file-1');
    const one = textOfPdf(await manager.exportReportAsPdf({ reportId: reports['file-2'] ?? '' }));
    expect(one).toContain('Compliance: file-2');
    expect(one).toContain('Required line is missing: ntp server 192.0.2.9');
    expect((await rejectionOf(manager.exportReportAsPdf({ reportId: 'f'.repeat(24) }))).code).toBe(
      'NOT_FOUND',
    );
  },
);

/** A document with these texts as its heading and as its only line. */
const documentOf = (heading: string, ...line: [string, string]) => ({
  title: 'Report',
  subtitle: 'now',
  summary: [],
  sections: [{ heading, lines: [line], empty: 'None', more: 0 }],
});

test.skipIf(!isLong)(
  'a PDF document shows names in Cyrillic and Greek as text, with the glyphs that it needs of a font',
  async () => {
    const pdf = await reportPdf(documentOf('Устройства', 'Αθήνα-12', 'маршрутизатор Łódź → Đà Nẵng, líne 7'));
    const text = textOfPdf(pdf);
    for (const shown of ['Report', 'Устройства', 'Αθήνα-12', 'маршрутизатор Łódź → Đà Nẵng, líne 7'])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/U\+|as code points/);
    const source = Buffer.from(pdf, 'base64').toString('latin1');
    expect(source).toMatch(/\+DejaVuSans\b/);
    // The files of the two fonts have 1.4 MB.
    expect(source.length).toBeLessThan(50_000);
  },
);

test('a PDF document whose text is Latin-1 contains no font', async () => {
  const pdf = await reportPdf(documentOf('Geräte', 'Zürich-1', 'línea ç'));
  expect(textOfPdf(pdf)).toMatch(/Geräte\n[\s\S]*línea ç$/);
  const source = Buffer.from(pdf, 'base64').toString('latin1');
  expect(source).not.toContain('DejaVu');
  expect(source.length).toBeLessThan(3000);
});

test('a PDF document shows characters that its font lacks as code points, and says so', async () => {
  const text = textOfPdf(await reportPdf(documentOf('Устройства', '核心-1', 'línea ç')));
  expect(text).toContain('Устройства');
  expect(text.replace(/\s/g, '')).toContain('[U+6838][U+5FC3]-1');
  expect(text).toContain('as code points');
});

test.each([
  ['of a script written from right to left', 'שרת-12', '[U+05E9][U+05E8][U+05EA]-12'],
  ['that reverses the text after it', 'r\u202e1', 'r[U+202E]1'],
  ['that is invisible', 'r\u200b1', 'r[U+200B]1'],
  ['that is half of a pair of surrogates', 'r\ud8341', 'r[U+D834]1'],
])('a PDF document shows a character %s as a code point, and says so', async (_, name, shown) => {
  const text = textOfPdf(await reportPdf(documentOf('Devices', 'x', name)));
  expect(text).toContain(shown);
  expect(text).toContain('as code points');
});

test('a long text in a PDF document is cut between two characters', async () => {
  const text = textOfPdf(await reportPdf(documentOf('Devices', 'x', `${'a'.repeat(299)}😀b`)));
  expect(text.replace(/\s/g, '')).toMatch(/a{299}\.\.\.$/);
});

test.skipIf(!isLong)(
  'files of rules and reports hold masks for readers without the permission, and exist only for readers of the tree',
  async () => {
    const { treeId, reports } = await checkedFleet(
      'mask',
      'snmp-server community Lantern7 RO\n below the secret\nconfig system snmp community\n edit 1\n  set name Lantern7\n',
    );
    const reader = await signIn(service, await createPerson(service, ['apiread']));
    const prefix = '/configuration_manager/compliance_reports';
    const files = [
      `${prefix}/rules/export/csv?treeId=${treeId}`,
      `${prefix}/rules/export/pdf?treeId=${treeId}`,
      `${prefix}/export/pdf?treeId=${treeId}`,
      `${prefix}/details/${reports['mask-1']}/pdf`,
    ];
    const shown = async () => {
      const texts: string[] = [];
      for (const path of files) {
        const answer = await fetch(`${service.url}${path}`, {
          headers: { Authorization: `Bearer ${reader}` },
        });
        expect(answer.status, path).toBe(200);
        const bytes = Buffer.from(await answer.arrayBuffer());
        texts.push(path.includes('pdf') ? textOfPdf(bytes.toString('base64')) : bytes.toString());
      }
      return texts;
    };
    for (const text of await shown())
      for (const line of ['snmp-server community Lantern7', 'set name Lantern7'])
        expect(text).toContain(line);
    const decide = (configurationSecrets: 'masked' | 'shown') =>
      service.send('admin', 'PUT', '/authorization/access_default', {
        unlisted: 'readers',
        configurationSecrets,
      });
    const found = async () =>
      (await sendAs(service, reader, 'GET', `${prefix}/rules?treeId=${treeId}&text=Lantern`)).json;
    expect(await found()).toMatchObject({ total: 3 });
    await decide('masked');
    try {
      expect(await found()).toMatchObject({ total: 0 });
      const texts = await shown();
      expect(texts[0]).toContain('set name ********');
      for (const text of texts) {
        expect(text).toContain('snmp-server community ********');
        expect(text).not.toContain('Lantern7');
      }
      const top = await sendAs(service, reader, 'POST', `${prefix}/topissues`, { treeId });
      expect(top.text).toContain('set name ********');
      expect(top.text).not.toContain('Lantern7');
      expect(top.text).not.toContain('"parents"');
      // A mask replaces the rest of its own line alone.
      for (const text of texts.slice(1)) {
        expect(text).toMatch(/snmp-server community \*{8} > (Required line is missing: )?below the secret/);
      }
    } finally {
      await decide('shown');
    }
    const made = await service.send('admin', 'POST', '/authorization/groups', {
      group: { name: unique('Closed') },
    });
    const group = (made.json as { data: { _id: string } }).data._id;
    const closed = await service.send('admin', 'PUT', `/configuration_manager/configs/${treeId}`, {
      options: { gbac: { read: [group], write: [group] } },
    });
    expect(closed.status, closed.text).toBe(200);
    for (const path of files) expect((await sendAs(service, reader, 'GET', path)).status, path).toBe(404);
  },
);
