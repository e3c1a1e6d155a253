import { describe, expect, test } from 'vitest';
import type { ProposalRequest } from '#server/domains/golden-config/remediation/proposal.ts';
import { lines, proposed } from './proposed.ts';

describe('commands', () => {
  test('a missing line is added below its parent lines, and the score rises', () => {
    const { config, rollback, predicted, risk, changes } = proposed(
      'cisco-ios',
      'interface Gi0/1\n <e/>no shutdown\nntp server 192.0.2.1\n',
      'interface Gi0/1\n description edge\n shutdown\nntp server 192.0.2.1\n',
    );
    expect(config).toBe(lines('interface Gi0/1', ' no shutdown'));
    expect(rollback).toBe(lines('interface Gi0/1', ' shutdown'));
    expect(predicted).toEqual({
      totals: { errors: 0, warnings: 0, infos: 0, passes: 3 },
      score: 100,
      grade: 'pass',
    });
    expect(risk).toBe('');
    expect(changes).toMatchObject([
      {
        id: 'c1',
        parents: ['interface Gi0/1'],
        old: 'shutdown',
        new: 'no shutdown',
        severity: 'error',
        selected: true,
      },
    ]);
  });

  test('commands that replace a value need no negation', () => {
    const { config, rollback } = proposed('cisco-ios', 'hostname edge-1\n', 'hostname old\n');
    expect([config, rollback]).toEqual(['hostname edge-1', 'hostname old']);
  });

  test.each([
    [
      'cisco-ios',
      'interface Gi0/1\n switchport trunk allowed vlan 10,20\n',
      'interface Gi0/1\n description uplink\n switchport trunk allowed vlan 10\n',
      ['interface Gi0/1', ' no switchport trunk allowed vlan 10,20', ' switchport trunk allowed vlan 10'],
    ],
    [
      'arista-eos',
      'interface Ethernet1\n   description to the core\n',
      'interface Ethernet1\n   mtu 9214\n   description spare\n',
      ['interface Ethernet1', '   no description to the core', '   description spare'],
    ],
    [
      'cisco-nx',
      'line vty\n  exec-timeout 5\n',
      'line vty\n  exec-timeout 60\n',
      ['line vty', '  no exec-timeout 5', '  exec-timeout 60'],
    ],
    [
      'juniper-junos',
      'system {\n    host-name new;\n}\n',
      'system {\n    host-name old;\n    time-zone UTC;\n}\n',
      ['delete system host-name new', 'set system host-name old'],
    ],
    [
      'paloalto-panos',
      'set deviceconfig system hostname new\n',
      'set deviceconfig system hostname old\nset deviceconfig system timezone UTC\n',
      ['delete deviceconfig system hostname new', 'set deviceconfig system hostname old'],
    ],
    // Lists, which may have any number of entries.
    ['arista-eos', 'logging host 192.0.2.77\n', 'logging host 192.0.2.8\n', ['no logging host 192.0.2.77']],
    [
      'cisco-ios',
      'interface Gi0/1\n standby 1 track 7\n',
      'interface Gi0/1\n standby 1 track 5\n standby 1 track 6\n',
      ['interface Gi0/1', ' no standby 1 track 7'],
    ],
    [
      'cisco-ios',
      'ntp server 192.0.2.3\n',
      'ntp server 192.0.2.1\nntp server 192.0.2.2\n',
      ['no ntp server 192.0.2.3'],
    ],
    // The order of an access list is not changed for it.
    [
      'cisco-ios',
      'ip access-list extended A\n 10 permit ip any any\n 20 permit tcp any any\n',
      'ip access-list extended A\n 10 permit ip any any\n',
      ['no ip access-list extended A', 'ip access-list extended A', ' 10 permit ip any any'],
    ],
  ])('%s: the rollback of %j sets the value again that the device had: %j', (name, rules, has, commands) => {
    expect(proposed(name, rules, has).rollback).toBe(lines(...commands));
  });

  test('a banner is added as a whole', () => {
    const { config, rollback } = proposed(
      'cisco-ios',
      'banner motd ^C\nKeep out\n^C\nend of rules\n',
      'banner motd ^C\nWelcome\n^C\nend of rules\n',
    );
    expect(config).toBe(lines('banner motd ^C', 'Keep out', '^C'));
    expect(rollback).toBe(lines('banner motd ^C', 'Welcome', '^C'));
  });

  test('NX-OS gets a banner between two of a character that the text does not contain', () => {
    const banner = (text: string) => `banner motd @\n${text}\n@\n`;
    expect(proposed('cisco-nx', banner('Room #1'), banner('Welcome')).config).toBe(
      lines('banner motd @', 'Room #1', '@'),
    );
  });

  test('new lines come in the order of their rules, between the lines that exist', () => {
    const bgp = (...all: string[]) => lines('router bgp 65000', ...all, '');
    const family = [' address-family ipv4', '  neighbor 192.0.2.9 activate'];
    const { config } = proposed(
      'cisco-ios',
      bgp(' bgp log-neighbor-changes', ' neighbor 192.0.2.9 remote-as 65009', ...family),
      bgp(' bgp log-neighbor-changes', ' address-family ipv4', '  network 192.0.2.0'),
    );
    expect(config).toBe(
      lines(
        'router bgp 65000',
        ' neighbor 192.0.2.9 remote-as 65009',
        ' address-family ipv4',
        '  neighbor 192.0.2.9 activate',
        ' exit-address-family',
      ),
    );
    const features = 'feature ospf\ninterface Ethernet1/1\n  ip router ospf 1 area 0.0.0.0\n';
    expect(proposed('cisco-nx', features, 'interface Ethernet1/1\n  mtu 9216\n').config).toBe(
      lines('feature ospf', 'interface Ethernet1/1', '  ip router ospf 1 area 0.0.0.0'),
    );
  });

  test('a statement that is not in force is activated, with what is below it', () => {
    const { config, rollback, predicted, changes } = proposed(
      'juniper-junos',
      'interfaces {\n    ge-0/0/1 {\n        disable;\n    }\n}\n',
      'interfaces {\n    inactive: ge-0/0/1 {\n        description "a  b";\n        disable;\n    }\n}\n',
    );
    expect([config, rollback]).toEqual(['activate interfaces ge-0/0/1', 'deactivate interfaces ge-0/0/1']);
    expect(changes[0]).toMatchObject({ old: 'inactive: ge-0/0/1', new: 'ge-0/0/1' });
    expect(predicted.score).toBe(100);
  });

  test('sections are left as the device wants it', () => {
    const bgp = 'router bgp 65000\n address-family ipv4\n  network 192.0.2.0\n';
    expect(proposed('cisco-ios', bgp, 'router bgp 65000\n').config).toBe(
      lines('router bgp 65000', ' address-family ipv4', '  network 192.0.2.0', ' exit-address-family'),
    );
    const forti = 'config system ntp\n    set ntpsync enable\nend\n';
    expect(proposed('fortinet-fortios', forti, 'config system ntp\n    set type custom\nend\n').config).toBe(
      lines('config system ntp', '    set ntpsync enable', 'end'),
    );
    const vrp = 'interface GE1/0/1\n undo shutdown\n';
    expect(proposed('huawei-vrp', vrp, 'interface GE1/0/1\n').config).toBe(
      lines('interface GE1/0/1', ' undo shutdown', 'quit'),
    );
  });

  test('settings of VRP with one value are replaced, and negated without their value', () => {
    const port = (mtu: number, vlan: number) =>
      `interface GE1/0/1\n mtu ${mtu}\n port default vlan ${vlan}\n port trunk allow-pass vlan 2 to 9\n`;
    const { config, rollback } = proposed('huawei-vrp', port(9216, 10), port(1500, 20));
    expect(config).toBe(lines('interface GE1/0/1', ' mtu 9216', ' port default vlan 10', 'quit'));
    expect(rollback).toBe(lines('interface GE1/0/1', ' mtu 1500', ' port default vlan 20', 'quit'));
    const vty = 'user-interface vty 0 4\n idle-timeout 15 0\n user privilege level 3\n';
    expect(proposed('huawei-vrp', vty, 'user-interface vty 0 4\n').rollback).toBe(
      lines('user-interface vty 0 4', ' undo idle-timeout', ' undo user privilege level', 'quit'),
    );
  });

  test('a rule for the line that leaves a section is met by leaving the section', () => {
    const { config, rollback, risk } = proposed(
      'cisco-ios',
      'router bgp 65000\n address-family ipv4\n  network 192.0.2.0\n exit-address-family\n',
      'hostname a\n',
    );
    expect(config).toBe(
      lines('router bgp 65000', ' address-family ipv4', '  network 192.0.2.0', ' exit-address-family'),
    );
    expect([rollback, risk]).toEqual(['no router bgp 65000', '']);
  });

  test('between braces the commands are paths', () => {
    const { config, rollback } = proposed(
      'juniper-junos',
      'system {\n    host-name edge-1;\n    services {\n        ssh;\n        {d/}telnet;\n    }\n}\n',
      'system {\n    host-name edge-1;\n    services {\n        telnet;\n    }\n}\n',
      { removeDisallowed: true },
    );
    expect(config).toBe(lines('delete system services telnet', 'set system services ssh'));
    expect(rollback).toBe(lines('delete system services ssh', 'set system services telnet'));
  });
});

describe('what is chosen', () => {
  const template = '{d/}ip http server\n<e/>ntp server 192.0.2.1\n<i/>ip domain lookup\n';

  test('a disallowed line is proposed for removal, but selected only when removal is requested', () => {
    const config = 'ip http server\nip domain lookup\nntp server 192.0.2.1\n';
    const requested = proposed('cisco-ios', template, config, { removeDisallowed: true });
    expect(requested.config).toBe('no ip http server');
    const unasked = proposed('cisco-ios', template, config);
    expect(unasked.changes).toMatchObject([{ old: 'ip http server', new: null, selected: false }]);
    expect([unasked.config, unasked.risk]).toEqual(['', 'no change is selected']);
  });

  test('severities and types select the changes', () => {
    const missing = (wanted: ProposalRequest) =>
      proposed('cisco-ios', template, 'ip http server\n', wanted).changes.map((one) => one.new);
    expect(missing({ severities: ['error'] })).toEqual(['ntp server 192.0.2.1']);
    expect(missing({ types: ['disallowed'] })).toEqual([null]);
  });

  test('a missing pattern, and the lines below it, are left to a user', () => {
    const { changes, manual, reasons } = proposed(
      'cisco-ios',
      'interface {/Loopback\\d+/}\n ip address {/.*/}\nntp server {/.*/}\n',
      'hostname a\n',
    );
    expect(changes).toEqual([]);
    expect(reasons).toEqual([
      'required line is a pattern',
      'it belongs to a line that needs a decision by a user',
      'required line is a pattern',
    ]);
    expect(manual[1]?.parents).toEqual(['interface /Loopback\\d+/']);
  });

  test('a command that fixes one rule and breaks another carries a risk', () => {
    const { risk } = proposed('cisco-ios', 'hostname a\n{d/}{/hostname a.*/}\n', 'hostname b\n');
    expect(risk).toContain('new issues: Disallowed line is present');
  });
});
