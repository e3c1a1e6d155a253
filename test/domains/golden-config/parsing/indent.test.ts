import { expect, test } from 'vitest';
import { dialectOf, dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { flat } from '#server/domains/golden-config/parsing/source.ts';
import { linesOf, parse, read } from './tree.ts';

test('every dialect is found by its name and by what netutils and netmiko call it, and no two share a name', () => {
  const names = dialects.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const [name, dialect] of [
    ['cisco_ios', 'cisco-ios'],
    ['cisco_iosxr', 'cisco-ios-xr'],
    ['Cisco-NXOS', 'cisco-nx'],
    ['bigip_f5', 'f5-bigip'],
    ['brocade_fastiron', 'ruckus-fastiron'],
    ['adva_fsp150f3', 'adva-fsp150'],
    ['nokia_sros', 'nokia-sros'],
  ]) {
    expect(dialectOf(name ?? '')?.name, name).toBe(dialect);
  }
  expect(dialectOf('constructor')).toBeUndefined();
});

test('a line belongs to the nearest line before it with less indentation, whatever the steps', () => {
  const text = 'router bgp 1\n neighbor a\n   remote-as 2\n  odd\n neighbor b\nend\n';
  expect(read('cisco-ios', text)).toEqual([
    ['router bgp 1', [['neighbor a', ['remote-as 2', 'odd']], 'neighbor b']],
    'end',
  ]);
});

test('sections that a device prints at the very left end with their `exit`', () => {
  const vlans = 'vlan database\nvlan 10,20\nexit\n';
  const map = 'policy-map harbour in\nclass cranes\nassign-queue 3\nexit\nexit\n';
  const ports = 'interface 0/1\nshutdown\nexit\n\n\ninterface 0/2\nexit\nhostname "a"\n';
  const read6 = [
    ['vlan database', ['vlan 10,20']],
    ['policy-map harbour in', [['class cranes', ['assign-queue 3']]]],
    ['interface 0/1', ['shutdown']],
    ...['interface 0/2', 'hostname "a"'],
  ];
  const text = `${vlans}configure\n${map}${ports}exit\n`;
  expect(read('dell_os6', text)).toEqual(read6);
  expect(read('ubiquiti-edgeswitch', text.replaceAll('\n', '\r\n'))).toEqual(read6);
  expect(parse('broadcom-icos', text).warnings).toEqual([]);
  const isis = 'router isis\nspbm 1\nexit\nrouter isis enable\ninterface Vlan 10\nvrf a\nexit\n';
  expect(read('extreme_vsp', `config terminal\n${isis}`)).toEqual([
    ['router isis', ['spbm 1']],
    'router isis enable',
    ['interface Vlan 10', ['vrf a']],
  ]);
});

test('a section at the very left without its `exit` takes no line that follows it', () => {
  const text = 'interface 0/1\nshutdown\nhostname a\ninterface 0/2\nshutdown\nexit\nclock a\n';
  expect(read('broadcom-icos', text)).toEqual([
    ...['interface 0/1', 'shutdown', 'hostname a'],
    ['interface 0/2', ['shutdown']],
    'clock a',
  ]);
  expect(parse('broadcom-icos', text).warnings).toEqual([{ line: 1, reason: 'the section is not closed' }]);
  const inMode =
    'configure\nip routing\nrouter ospf\nrouter-id 192.0.2.1\nip route 0.0.0.0 0.0.0.0 192.0.2.2\nexit\n';
  expect(read('dell_os6', inMode)).toEqual([
    ...['ip routing', 'router ospf', 'router-id 192.0.2.1', 'ip route 0.0.0.0 0.0.0.0 192.0.2.2'],
  ]);
});

test('an `exit` too many at the very left closes nothing else', () => {
  const text = 'policy-map a in\nclass b\ndrop\nexit\nexit\nexit\ninterface 0/1\nshutdown\nexit\n';
  expect(read('broadcom-icos', text)).toEqual([
    ['policy-map a in', [['class b', ['drop']]]],
    ['interface 0/1', ['shutdown']],
  ]);
  expect(parse('broadcom-icos', text).warnings).toEqual([{ line: 5, reason: 'exit closes nothing' }]);
});

test('lines that are indented already nest by that', () => {
  const text = 'interface 0/1\n shutdown\nexit\ninterface 0/2\n shutdown\nhostname a\n';
  expect(read('broadcom-icos', text)).toEqual([
    ['interface 0/1', ['shutdown']],
    ['interface 0/2', ['shutdown']],
    'hostname a',
  ]);
});

test('a first line that is indented is at the top level, and so is a line with less indentation', () => {
  expect(read('cisco-ios', '   hostname a\n  vlan 1\n   name b\n')).toEqual([
    'hostname a',
    ['vlan 1', ['name b']],
  ]);
});

test('a byte order mark, line ends of Windows, tabs and blanks at the end are none of a line’s text', () => {
  const [first, second] = linesOf(parse('cisco-ios', '\ufeffinterface  Gi1 \t\r\n\tip  address "a  b"\r\n'));
  expect(first).toMatchObject({ text: 'interface Gi1', line: 1, indent: 0 });
  expect(second).toMatchObject({ text: 'ip address "a  b"', line: 2, indent: 8 });
});

test('comments, and lines that devices change by themselves, are left out', () => {
  const text =
    'Building configuration...\n\nCurrent configuration : 99 bytes\n! saved\nhostname a\n  ! within\nntp clock-period 17\n';
  expect(read('cisco-ios', text)).toEqual(['hostname a']);
  const startup =
    'Load for five secs: 1%/0%; one minute: 2%; five minutes: 2%\nTime source is NTP, 10:00:00.000 UTC Mon Nov 30 2026\n\nUsing 1790 out of 262144 bytes\nUncompressed configuration from 900 bytes to 1790 bytes\nhostname a\n';
  expect(read('cisco-ios', startup)).toEqual(['hostname a']);
  expect(read('cisco-ios', 'No time source, *10:00:00.000 UTC\nhostname a\n')).toEqual(['hostname a']);
  expect(
    read('cisco-ios-xr', 'Mon Jan  1 00:00:00.123 UTC\nBuilding configuration...\nhostname a\n'),
  ).toEqual(['hostname a']);
  expect(read('cisco-asa', ': Saved\nhostname fw\nCryptochecksum:ab\n')).toEqual(['hostname fw']);
  expect(read('citrix-netscaler', '#NS13.0\n# Last modified\nset ns config\n')).toEqual([
    '#NS13.0',
    'set ns config',
  ]);
});

test('a # in the first column of Comware ends every section: an indented line after it is at the top level', () => {
  const text = '#\n sysname a\n#\nvlan 1\n name b\n#\n telnet server enable\n irf mode normal\n';
  expect(read('hp-comware', text)).toEqual([
    'sysname a',
    ['vlan 1', ['name b']],
    'telnet server enable',
    'irf mode normal',
  ]);
});

test('exit closes the section above it and is no line; where it closes nothing it is one', () => {
  const text =
    'exit\nconfigure\n#-----\necho "System"\n#-----\n    system\n        name "a"\n    exit\n    card 1\n    exit\nexit all\n';
  const parsed = parse('alu-sr', text);
  expect(read('alu-sr', text)).toEqual([
    'exit',
    ['configure', [['system', ['name "a"']], 'card 1']],
    'exit all',
  ]);
  expect(linesOf(parsed).filter(({ end }) => end === '    exit')).toHaveLength(2);
  expect(read('adva-fsp150', 'configure system\n  ntp\n    control on\n    back\n  http off\n')).toEqual([
    ['configure system', [['ntp', ['control on']], 'http off']],
  ]);
});

test('a line that ends with a backslash continues in the next', () => {
  const [, line] = linesOf(
    parse('mikrotik-routeros', '/ip address\nadd address=192.0.2.1/24 comment=\\\n    "to a" \\\n    x=1\n'),
  );
  expect(line).toMatchObject({ text: 'add address=192.0.2.1/24 comment="to a" x=1', line: 2 });
});

test('a flattened text equals the text, lone surrogates included', () => {
  for (const text of ['', 'short', 'a text that is longer \ud800 than twelve']) expect(flat(text)).toBe(text);
});
