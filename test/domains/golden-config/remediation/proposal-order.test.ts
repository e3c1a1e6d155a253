import { expect, test } from 'vitest';
import { lines, proposed } from './proposed.ts';

test.each([
  [
    'cisco-asa',
    'access-list OUT extended permit tcp any host 192.0.2.1 eq 443\n',
    'access-list OUT extended permit icmp any any\naccess-list OUT extended deny ip any any log\n',
  ],
  ['cisco-ios', 'access-list 10 permit 192.0.2.0 0.0.0.255\n', 'access-list 10 permit any\n'],
  [
    'cisco-ios',
    'ip access-list extended IN\n permit tcp any any eq 22\n',
    'ip access-list extended IN\n deny ip any any\nsnmp-server community c ro IN\n',
  ],
  [
    'mikrotik-routeros',
    '/ip firewall filter\nadd action=accept chain=input protocol=icmp\n',
    '/ip firewall filter\nadd action=accept chain=input connection-state=established\nadd action=drop chain=input comment="all else"\n',
  ],
])('%s: an entry is not added behind one that matches everything', (name, template, config) => {
  const { changes, reasons } = proposed(name, template, config);
  expect(changes).toEqual([]);
  expect(reasons).toEqual([
    'an entry of the list matches everything, and behind it the line has no effect: it must be added before that entry',
  ]);
});

test.each([
  [
    'cisco-asa',
    'access-list OUT extended permit tcp any any eq 443\n',
    'access-list IN extended deny ip any any\naccess-list OUT extended permit ip any host 192.0.2.1\n',
  ],
  [
    'mikrotik-routeros',
    '/ip firewall filter\nadd action=accept chain=input protocol=icmp\n',
    '/ip firewall filter\nadd action=drop chain=forward\nadd action=log chain=input\nadd action=drop chain=input disabled=yes\nadd action=drop chain=input in-interface=wan\n',
  ],
])(
  '%s: an entry is added where only other lists, or no entries, match everything',
  (name, template, config) => {
    const { changes, manual } = proposed(name, template, config);
    expect(changes.map((one) => one.new)).toEqual([template.trimEnd().split('\n').at(-1)]);
    expect(manual).toEqual([]);
  },
);

const list = (...entries: string[]) =>
  ['ip access-list extended IN', ...entries.map((one) => ` ${one}`), ''].join('\n');
const used = 'interface Gi0/1\n ip access-group IN in\n';

test('a list in use always has entries: a copy replaces it while it is rewritten', () => {
  const { config, rollback } = proposed(
    'cisco-ios',
    `{lso/}${list('permit tcp any any', 'deny ip any any')}`,
    `${list('deny ip any any', 'permit tcp any any')}${used}`,
  );
  expect(config).toBe(
    lines(
      'ip access-list extended SWY_IN',
      ' permit tcp any any',
      ' deny ip any any',
      'interface Gi0/1',
      ' ip access-group SWY_IN in',
      'no ip access-list extended IN',
      'ip access-list extended IN',
      ' permit tcp any any',
      ' deny ip any any',
      'interface Gi0/1',
      ' ip access-group IN in',
      'no ip access-list extended SWY_IN',
    ),
  );
  expect(rollback.split('\n').slice(0, 3)).toEqual([
    'ip access-list extended SWY_IN',
    ' deny ip any any',
    ' permit tcp any any',
  ]);
});

test('a missing entry is placed where its rule is, not behind the entry that ends all', () => {
  const { config } = proposed(
    'cisco-ios',
    list('permit udp any any', 'permit tcp any any', 'deny ip any any'),
    `${list('permit udp any any', 'deny ip any any')}${used}`,
  );
  expect(config.split('\n').slice(0, 4)).toEqual([
    'ip access-list extended SWY_IN',
    ' permit udp any any',
    ' permit tcp any any',
    ' deny ip any any',
  ]);
});

test('a new entry behind the last is only added', () => {
  const { config } = proposed(
    'cisco-ios',
    list('10 permit udp any any', '20 permit tcp any any'),
    `${list('10 permit udp any any')}${used}`,
  );
  expect(config).toBe(lines('ip access-list extended IN', ' 20 permit tcp any any'));
});

test.each(['cisco-nx', 'arista-eos'])('%s: an entry replaces the one that has its number', (name) => {
  const numbered = (second: string) =>
    `ip access-list IN\n  10 permit udp any any\n  20 ${second}\n  30 deny ip any any\n`;
  const { config, changes } = proposed(
    name,
    numbered('permit tcp any any eq 22'),
    `${numbered('permit tcp any any eq 23')}interface Ethernet1\n  ip access-group IN in\n`,
  );
  expect(changes).toMatchObject([{ old: '20 permit tcp any any eq 23', new: '20 permit tcp any any eq 22' }]);
  expect(config).toContain('20 permit tcp any any eq 22');
  expect(config).not.toContain('eq 23');
});

test.each([
  ['huawei-vrp', 'acl number 3000\n rule 5 permit tcp\n', 'acl number 3000\n rule 5 permit ip\n'],
  ['hp-comware', 'acl advanced 3000\n rule 0 permit tcp\n', 'acl advanced 3000\n rule 0 permit ip\n'],
  [
    'cisco-ios',
    'ip prefix-list P seq 5 permit 192.0.2.0/24\n',
    'ip prefix-list P seq 5 permit 198.51.100.0/24\n',
  ],
])('%s: a list in use whose entry has the number of another is left to a user', (name, template, config) => {
  const { changes, reasons } = proposed(name, template, config);
  expect(changes).toEqual([]);
  expect(reasons).toEqual([
    'another entry of the list has its number, and the list would lack both while that one is replaced',
  ]);
});

test('a comment of AOS-CX has the number of its entry, and replaces only another comment', () => {
  const acl = (...entries: string[]) => lines('access-list ip IN', ...entries.map((entry) => `    ${entry}`));
  const [comment, entry, last] = ['10 comment "web"', '10 permit tcp any any eq 80', '20 deny any any any'];
  expect(proposed('aruba-aoscx', acl(comment, entry, last), acl(entry, last))).toMatchObject({
    config: acl(comment),
    reasons: [],
  });
  expect(proposed('aruba-aoscx', acl(comment, entry, last), acl(comment, last)).reasons).toEqual([]);
  expect(proposed('aruba-aoscx', acl(comment), acl('10 comment "mail"', entry)).changes).toEqual([]);
});

test('a list whose references cannot be switched to a copy is left to the user', () => {
  const { changes, reasons } = proposed(
    'cisco-ios',
    list('{d/}permit ip any any', 'deny ip any any'),
    `${list('permit ip any any', 'deny ip any any')}route-map R permit 10\n match ip address IN\n`,
    { removeDisallowed: true },
  );
  expect(changes).toEqual([]);
  expect(reasons).toEqual(['while the line is being removed, the list would permit unintended traffic']);
});

test('a list of a device type for which no safe procedure is known is left to the user', () => {
  const { changes, reasons } = proposed(
    'huawei-vrp',
    'acl number 3000\n {d/}rule 5 permit ip\n',
    'acl number 3000\n rule 5 permit ip\n',
    { removeDisallowed: true },
  );
  expect(changes).toEqual([]);
  expect(reasons).toHaveLength(1);
});

test('the values of a set of IOS XR are compared without the commas between them, and sent with them', () => {
  const set = (...values: string[]) => `prefix-set P\n  ${values.join(',\n  ')}\nend-set\n`;
  const template = set('192.0.2.0/24', '198.51.100.0/24 le 25', '203.0.113.0/24');
  const { config, rollback, changes } = proposed(
    'cisco-ios-xr',
    template,
    set('192.0.2.0/24', '198.51.100.0/24 le 25'),
  );
  expect(changes).toHaveLength(1);
  expect(config).toBe(
    lines('prefix-set P', ' 192.0.2.0/24,', ' 198.51.100.0/24 le 25,', ' 203.0.113.0/24', 'end-set'),
  );
  expect(rollback).toBe(lines('prefix-set P', ' 192.0.2.0/24,', ' 198.51.100.0/24 le 25', 'end-set'));
});

test('a route policy, which is committed as a whole, is rewritten as a whole', () => {
  const { config } = proposed(
    'cisco-ios-xr',
    'route-policy P\n  pass\n  {d/}drop\n',
    'route-policy P\n  drop\n',
    { removeDisallowed: true },
  );
  expect(config).toBe(lines('route-policy P', ' pass', 'end-policy'));
});
