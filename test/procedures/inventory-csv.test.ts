import { expect, test } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { automationgateway, configurationManager, inventory } = await service.as('admin');

const nameOf = (word: string) => unique(word).replace(' ', '-');
const selected = async (selection: object) =>
  (await inventory.listSelection({ selection, limit: 1000 } as never)).devices;
const csvOf = (...lines: string[]) => `${lines.join('\n')}\n`;

test('a CSV file stores hosts with tags, site, groups and custom fields', async () => {
  const name = nameOf('csv');
  const group = nameOf('Racks');
  const csv = csvOf(
    '\uFEFFName;Host;Port;Device Type;Tags;Groups;Site;Rack',
    `${name};192.0.2.31;2222;cisco_ios;"core, spare";${group};berlin;"A;12"`,
  ).replaceAll('\n', '\r\n');
  expect(await inventory.importCsv({ csv })).toMatchObject({ imported: 1, skipped: 0, issues: [] });
  expect(await automationgateway.getHost({ kind: 'cli', name })).toMatchObject({
    host: '192.0.2.31',
    port: 2222,
    tags: ['core', 'spare'],
    site: 'berlin',
    custom: { Rack: 'A;12' },
  });
  expect((await configurationManager.getDeviceGroup({ id: group })).devices).toEqual([name]);
  await automationgateway.updateHost({ kind: 'cli', name, updates: { password: 'Lantern-1' } });
  const again = csvOf('name,host,port,site', `${name},192.0.2.31,2222,paris`);
  expect((await inventory.importCsv({ csv: again })).imported).toBe(1);
  expect(await automationgateway.getHost({ kind: 'cli', name })).toMatchObject({
    site: 'paris',
    password: '********',
    custom: { Rack: 'A;12' },
  });
});

test.skipIf(!isLong)(
  'a file of 5,000 rows with 20 faults stores none in strict mode and 4,980 in lenient mode',
  async () => {
    const prefix = nameOf('big');
    const rows = Array.from({ length: 5000 }, (_, at) => {
      const isBad = at % 250 === 7;
      const [port, type] =
        isBad && at % 500 === 7 ? ['99999', 'cisco_ios'] : ['22', isBad ? 'toaster' : 'cisco_ios'];
      return `${prefix}-${at},192.0.2.${at % 250},${port},${type},bulk`;
    });
    const csv = csvOf('name,host,port,device_type,tags', ...rows);
    const strict = await inventory.importCsv({ csv });
    expect(strict).toMatchObject({ imported: 0, skipped: 5000 });
    expect(strict.issues).toHaveLength(20);
    expect(strict.issues[0]).toMatchObject({ row: 9, column: 'port' });
    expect(strict.issues[1]).toMatchObject({ row: 259, column: 'device_type' });
    const dry = await inventory.importCsv({ csv, mode: 'lenient', dryRun: true });
    expect(dry).toMatchObject({ imported: 4980, skipped: 20 });
    expect(await selected({ tags: ['bulk'] })).toEqual([]);
    expect(await inventory.importCsv({ csv, mode: 'lenient' })).toMatchObject({
      imported: 4980,
      skipped: 20,
    });
    expect((await inventory.listSelection({ selection: { tags: ['bulk'] } })).total).toBe(4980);
  },
);

test.each([
  ['', 1, ''],
  ['name,port\nx,22\n', 1, 'host'],
  ['name,host,host\nx,192.0.2.1,192.0.2.1\n', 1, 'host'],
  ['name,host,device_type\nx,192.0.2.1\n', 2, 'device_type'],
  ['name,host\nx,192.0.2.1,stray\n', 2, ''],
  ['name,host,device_type\n\nx,,cisco_ios\n', 3, 'host'],
  ['name,host,device_type\n"x,192.0.2.1,cisco_ios\n', 2, ''],
  ['name,host,device_type\na/b,192.0.2.1,cisco_ios\n', 2, 'name'],
])('the file %j has an issue at row %d, column %j', async (csv, row, column) => {
  const { imported, issues } = await inventory.importCsv({ csv });
  expect(imported).toBe(0);
  expect(issues[0]).toMatchObject({ row, column });
});

/** Sends bytes as a CSV file over REST. */
const sendCsv = (raw: Buffer, type = 'text/csv') =>
  service.send('admin', 'POST', '/inventory/import/csv?mode=strict&dryRun=false', undefined, {
    raw,
    headers: { 'Content-Type': type, 'Content-Length': String(raw.length) },
  });

/** Encodes a text with the signs that Windows-1252 has and ISO-8859-1 has not. */
const windows1252 = (text: string) =>
  Buffer.from(text.replaceAll('–', '\x96').replaceAll('€', '\x80'), 'latin1');

test.each([
  ['Windows-1252', windows1252],
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 of little ends', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 of little ends without a byte order mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16 of big ends without a byte order mark', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16 of big ends', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
])('a file of a spreadsheet in %s is read over REST', async (_, encoded) => {
  const name = nameOf('encoded');
  const text = csvOf('name\thost\tdevice_type\tsite', `${name}\t192.0.2.9\tcisco_ios\tZürich – 5 €`);
  expect(await sendCsv(encoded(text))).toMatchObject({ status: 200, json: { imported: 1 } });
  expect(await automationgateway.getHost({ kind: 'cli', name })).toMatchObject({ site: 'Zürich – 5 €' });
});

test.each([
  ['text/csv; charset=utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
  ['text/csv;header=present; charset="UTF-16BE"', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ['text/csv; charset=ISO-8859-1', windows1252],
  ['text/csv; charset=windows-1252', windows1252],
  ['text/csv; charset=utf-8', (text: string) => Buffer.from(text)],
])('a CSV file is read in the encoding that its type %s names', async (type, encoded) => {
  const name = nameOf('charset');
  const text = csvOf('name,host,device_type,site', `${name},192.0.2.9,cisco_ios,Zürich – 5 €`);
  expect(await sendCsv(encoded(text), type)).toMatchObject({ status: 200, json: { imported: 1 } });
  expect(await automationgateway.getHost({ kind: 'cli', name })).toMatchObject({ site: 'Zürich – 5 €' });
});

const ROW = csvOf('name,host,device_type,site', 'never,192.0.2.9,cisco_ios,Zürich');
test.each([
  [
    'a workbook',
    'text/csv',
    Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1'),
    400,
    /spreadsheet file, such as .xlsx.*“CSV UTF-8”/,
  ],
  [
    'an unknown encoding',
    'text/csv; charset=utf-7',
    Buffer.from(ROW),
    415,
    /^The charset "utf-7" of the body is not known/,
  ],
  [
    'a wrong encoding',
    'text/csv; charset=utf-8',
    Buffer.from(ROW, 'latin1'),
    400,
    /not valid utf-8, which its charset names/,
  ],
])('a file that is %s is rejected with what to do', async (_, type, raw, status, message) => {
  expect(await sendCsv(raw, type)).toMatchObject({
    status,
    json: { message: expect.stringMatching(message) },
  });
});

test.each(['', ' \r\n'])('a file that is empty (%j) is reported as such', async (text) => {
  const message = 'The file is empty: its first row must name the columns';
  const issues = [{ row: 1, column: '', message }];
  expect(await sendCsv(Buffer.from(text))).toMatchObject({ status: 200, json: { imported: 0, issues } });
  expect(await inventory.importCsv({ csv: text })).toMatchObject({ imported: 0, issues });
});

test('a separator that the first line names, quoted line ends and empty columns at the end are read as spreadsheets do', async () => {
  const name = nameOf('dialect');
  const rows = [`${name};192.0.2.9;cisco_ios;"two\nlines";;`, ';;;;;', 'x;;cisco_ios;;;'];
  const csv = ['sep=;', 'name;host;device_type;note, long;;', ...rows, ''];
  expect(await inventory.importCsv({ csv: csv.join('\r\n'), mode: 'lenient' })).toMatchObject({
    imported: 1,
    skipped: 1,
    issues: [{ row: 4, column: 'host', message: 'must not be empty' }],
  });
  expect((await automationgateway.getHost({ kind: 'cli', name })).custom).toEqual({
    'note, long': 'two\nlines',
  });
  for (const first of ['"sep=;"\r\n', '\uFEFFsep=;\r']) {
    const file = `${first}name;host\r${name};192.0.2.10\r`;
    expect(await inventory.importCsv({ csv: file, dryRun: true })).toMatchObject({ imported: 1, issues: [] });
  }
  const stray = `name;host;;\n${name};192.0.2.9;;stray\n`;
  expect((await inventory.importCsv({ csv: stray })).issues).toEqual([
    { row: 2, column: '', message: 'has 4 cells: the first row names 2 columns' },
  ]);
});

test('a name that an earlier row has is an issue of its row, whatever else is wrong with either', async () => {
  const [one, two] = [nameOf('twice'), nameOf('twice')];
  const csv = csvOf(
    'Hostname,host,device_type,port',
    `${one},192.0.2.9,cisco_ios,`,
    `${one},192.0.2.9,cisco_ios,99999`,
    `${two},192.0.2.9,toaster,`,
    `${two},192.0.2.9,cisco_ios,`,
  );
  const { imported, issues } = await inventory.importCsv({ csv, mode: 'lenient' });
  expect([imported, issues.map(({ row, column, message }) => [row, column, message.slice(0, 16)])]).toEqual([
    1,
    [
      [3, 'port', 'must be a number'],
      [3, 'Hostname', 'occurs in row 2 '],
      [4, 'device_type', 'is unknown: "toa'],
      [5, 'Hostname', 'occurs in row 4 '],
    ],
  ]);
});

test.each([
  ['walnut-4"6', 'a quote is within a cell'],
  ['"walnut-4"6', 'text follows the end of a quoted cell'],
])('the issue of the broken password %j does not quote it', async (password, message) => {
  const csv = csvOf('name,host,device_type,password', `${nameOf('quote')},192.0.2.9,cisco_ios,${password}`);
  const { issues } = await inventory.importCsv({ csv });
  expect(issues).toMatchObject([{ row: 2, message: expect.stringContaining(message) }]);
  expect(JSON.stringify(issues)).not.toContain('walnut');
});

test('cells that are left out at the end of a row are empty, as spreadsheets write them', async () => {
  const name = nameOf('short');
  const csv = `name,host,device_type,site,rack\n${name},192.0.2.9,cisco_ios\n${name}-2,192.0.2.10\n`;
  expect(await inventory.importCsv({ csv, mode: 'lenient' })).toMatchObject({
    imported: 1,
    issues: [{ row: 3, column: 'device_type' }],
  });
  const stored = await automationgateway.getHost({ kind: 'cli', name });
  expect(stored).toMatchObject({ name, device_type: 'cisco_ios' });
  expect(stored).not.toHaveProperty('custom.rack');
});

test('a dry run names the hosts that are new and the fields that would change, and counts the others', async () => {
  const [kept, changed, added] = [nameOf('kept'), nameOf('changed'), nameOf('added')];
  const row = (name: string, rest: string) => `${name},192.0.2.9,cisco-ios,${rest}\n`;
  const header = 'name,host,device_type,tags,rack,owner\n';
  await inventory.importCsv({ csv: header + row(kept, '"a,b",A1,net') + row(changed, '"a,b",A1,net') });
  const csv = header + row(kept, '"a,b",A1,net') + row(changed, '"a,c",A2,net') + row(added, 'a,A1,');
  const difference = {
    new: [added],
    changed: [{ name: changed, fields: ['tags', 'custom.rack'] }],
    unchanged: 1,
  };
  expect(await inventory.importCsv({ csv, dryRun: true })).toEqual({
    ...{ imported: 3, skipped: 0, issues: [] },
    ...difference,
  });
  expect(await inventory.importCsv({ csv })).toMatchObject(difference);
  expect(await inventory.importCsv({ csv, dryRun: true })).toMatchObject({
    new: [],
    changed: [],
    unchanged: 3,
  });
});

test('only admin may send a CSV file', async () => {
  expect(await rolesThatMay(service, (as) => as.inventory.importCsv({ csv: 'name,host\n' }))).toEqual([
    'admin',
  ]);
});
