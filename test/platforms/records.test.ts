import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DRIVERS, PLATFORMS } from '#server/platforms/index.ts';
import { DriverData } from '#server/platforms/record/driver-data.ts';
import { SCRIPTS } from '../lab/devices/scripts.ts';

const FILES = readdirSync('server/platforms', { withFileTypes: true })
  .filter((entry) => entry.isFile() && !['index.ts', 'records.ts'].includes(entry.name))
  .map(({ name }) => name.replace(/\.ts$/, ''))
  .sort();

const variableOf = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Names that more than one of these have. */
const repeated = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);

const DEVICE_TYPES = PLATFORMS.flatMap(({ deviceTypes = [] }) => deviceTypes);
const PARSERS = PLATFORMS.filter(({ text }) => text);

test('records.ts lists every record of the folder (`npx vitest run test/platforms -u` writes it)', async () => {
  const lines = FILES.map((name) => `export { ${variableOf(name)} } from './${name}.ts';\n`);
  await expect(lines.join('')).toMatchFileSnapshot('../../server/platforms/records.ts');
});

test('a record is the file of its name', () => {
  expect(PLATFORMS.map(({ name }) => name).sort()).toEqual(FILES);
});

test('no two config parsers, and no two device types, share a name or an alias', () => {
  expect(repeated(PARSERS.flatMap(({ name, aliases = [] }) => [name, ...aliases]))).toEqual([]);
  expect(
    repeated(DEVICE_TYPES.flatMap(({ device_type, aliases = [] }) => [device_type, ...aliases])),
  ).toEqual([]);
});

test('a name that device types and config parsers share leads to the same platform', () => {
  const parserOf = new Map(
    PARSERS.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((one) => [one, name])),
  );
  const differing = PLATFORMS.flatMap(({ name, text, like = '', deviceTypes = [] }) =>
    deviceTypes
      .flatMap(({ device_type, aliases = [] }) => [device_type, ...aliases])
      .filter((one) => {
        const parser = parserOf.get(one.replaceAll('_', '-'));
        return parser !== undefined && parser !== (text ? name : like);
      }),
  );
  // netmiko and netutils differ: `sros` is the classic command line to one, the model-driven one to the other.
  expect(differing).toEqual(['sros']);
});

test('every driver is one that CLI_DRIVERS could hold, has a description, and extends one that exists', () => {
  const names = new Set(DRIVERS.map(({ device_type }) => device_type));
  for (const driver of DRIVERS) {
    expect(DriverData.parse(driver).description, driver.device_type).toBeTruthy();
    if (driver.extends !== undefined) expect(names).toContain(driver.extends);
  }
});

test('a platform that reads like another one names one that has a config parser', () => {
  for (const { name, text, like } of PLATFORMS) {
    if (like === undefined) continue;
    expect(text, name).toBeUndefined();
    expect(PARSERS.map((one) => one.name)).toContain(like);
  }
});

test('every config parser has a sample, and every device type but autodetect a simulated device', () => {
  const samples = readdirSync('test/domains/golden-config/parsing/samples').map((file) => file.split('.')[0]);
  expect(PARSERS.filter(({ name }) => !samples.includes(name))).toEqual([]);
  const simulated = SCRIPTS.map(({ device_type }) => device_type);
  const without = DRIVERS.filter(({ device_type }) => !simulated.includes(device_type));
  expect(without.map(({ device_type }) => device_type)).toEqual(['autodetect']);
});

test('docs/dialects.md has a row for every config parser', () => {
  const page = readFileSync('docs/dialects.md', 'utf8');
  const named = [...page.matchAll(/^\| ([\w ,()-]+?) +\|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll(/ \(.*?\)/g, '').split(', '),
  );
  expect(named.filter((name) => name !== 'dialect' && !name.startsWith('-')).sort()).toEqual(
    PARSERS.map(({ name }) => name).sort(),
  );
});

test('docs/devices.md has a table of every device type (`npx vitest run test/platforms -u` writes it)', async () => {
  const page = readFileSync('docs/devices.md', 'utf8');
  const rows = PLATFORMS.flatMap(({ name, title, deviceTypes }) =>
    deviceTypes ? [[name, title, deviceTypes.map(({ device_type }) => `\`${device_type}\``).join(', ')]] : [],
  );
  const all = [['platform', 'title', 'device types'], ...rows];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...body] = all;
  const table = [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('');
  const [before, after] = page.split(/(?<=<!-- platforms: .*-->\n).*(?=<!-- \/platforms -->)/s);
  await expect(`${before}\n${table}\n${after}`).toMatchFileSnapshot('../../docs/devices.md');
});
