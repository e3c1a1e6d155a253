import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printConfig } from '#server/domains/golden-config/parsing/print.ts';
import { toSet } from '#server/domains/golden-config/parsing/to-set.ts';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import { toBraces } from './to-braces.ts';
import { dialectNamed, linesOf, parse, read } from './tree.ts';

const JUNOS = `## Last commit
version 22.4;
system {
    host-name "a  b; {c}";
    /* why
       so */
    root-authentication {
        encrypted-password "x"; ## SECRET-DATA
    }
    location "row 5; # left"; ## moved; # again
    inactive: services {
        ssh;
    }
    protect: login {
        class ops;
    }
}
vlans { v1 { vlan-id 1; } v2 { members [ 1 2 ]; } }
`;

test('what stands above a prompt behind a configuration, and the first line of RANCID, are left out', () => {
  expect(read('juniper-junos', 'version 22.4;\n\n{master:0}[edit]\n')).toEqual(['version 22.4']);
  expect(read('juniper-junos', '[edit system]\nhost-name a;\n{master:0}\n')).toEqual(['host-name a']);
  expect(read('vyatta-vyos', 'system {\n    host-name a\n}\n[edit]\n')).toEqual([
    ['system', ['host-name a']],
  ]);
  expect(read('nokia-srl', 'a {\n    b 1\n}\n--{ + candidate shared default }--[  ]--\n')).toEqual([
    ['a', ['b 1']],
  ]);
  const panos = '!RANCID-CONTENT-TYPE: paloalto\nset deviceconfig system hostname a\n\n[edit]\n';
  expect(read('paloalto-panos', panos)).toEqual(['set deviceconfig system hostname a']);
});

test('values in brackets that span lines are one line, as SR Linux prints a leaf-list; its annotations are left out', () => {
  const list = `    group ISP {
        !!! ordered by the customer
        export-policy [
            CUSTOMERS
            "own  routes ]"
        ]
        peer-as 64500
    }
`;
  expect(read('nokia-srl', list)).toEqual([
    ['group ISP', ['export-policy [ CUSTOMERS "own  routes ]" ]', 'peer-as 64500']],
  ]);
  expect(read('juniper-junos', 'v1 {\n    members [\n        10\n        20\n    ];\n}\n')).toEqual([
    ['v1', ['members [ 10 20 ]']],
  ]);
  expect(toSet(parse('nokia-srl', list))).toEqual([
    'set group ISP export-policy CUSTOMERS',
    'set group ISP export-policy "own  routes ]"',
    'set group ISP peer-as 64500',
  ]);
});

test('a bracket that is not closed before the next brace stays a line, with a warning', () => {
  const parsed = parse('nokia-srl', 'a {\n    b [\n        c\n}\nd {\n    e [\n        f\n    ]\n}\n');
  expect(linesOf(parsed).map(({ text }) => text)).toEqual(['a', 'b [', 'c', 'd', 'e [ f ]']);
  expect(parsed.warnings).toEqual([{ line: 2, reason: 'the bracket is not closed' }]);
});

test('Junos nests between braces; remarks are left out, inactive stays in the text, protect does not', () => {
  expect(read('juniper-junos', JUNOS)).toEqual([
    'version 22.4',
    [
      'system',
      [
        'host-name "a  b; {c}"',
        ['root-authentication', ['encrypted-password "x"']],
        'location "row 5; # left"',
        ['inactive: services', ['ssh']],
        ['login', ['class ops']],
      ],
    ],
    [
      'vlans',
      [
        ['v1', ['vlan-id 1']],
        ['v2', ['members [ 1 2 ]']],
      ],
    ],
  ]);
});

test('marks of remarks within a long text cost one pass over it', () => {
  const text = `"${'; # '.repeat(300_000)}"`;
  const begun = cpuTime();
  expect(read('juniper-junos', `system {\n    location ${text};\n}\n`)).toEqual([
    ['system', [`location ${text}`]],
  ]);
  expect(cpuTime() - begun).toBeLessThan(5000);
});

test('the set form has one path for each leaf and each value of a list, and deactivates inactive statements', () => {
  expect(toSet(parse('juniper-junos', JUNOS))).toEqual([
    'set version 22.4',
    'set system host-name "a  b; {c}"',
    'set system root-authentication encrypted-password "x"',
    'set system location "row 5; # left"',
    'set system services ssh',
    'deactivate system services',
    'set system login class ops',
    'set vlans v1 vlan-id 1',
    'set vlans v2 members 1',
    'set vlans v2 members 2',
  ]);
});

test('set paths become braces and stay the same paths', () => {
  const paths = [
    'set system host-name a',
    'set system services ssh',
    'set interfaces ge-0/0/0 unit 0 family inet',
  ];
  expect(printConfig(toBraces(paths), dialectNamed('juniper-junos'))).toBe(
    'system {\n    host-name a;\n    services ssh;\n}\ninterfaces ge-0/0/0 unit 0 family inet;\n',
  );
  const word = fc.constantFrom('a', 'b', 'unit', '0', '1', '"x y"', 'term');
  const path = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `set ${words.join(' ')}`);
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 12 }), (given) => {
      const junos = dialectNamed('juniper-junos');
      const printed = printConfig(toBraces(given), junos);
      expect(toSet(parse('juniper-junos', printed)).sort()).toEqual([...given].sort());
    }),
  );
});

test('set lines are independent of each other, also side by side', () => {
  const text = 'set system host-name a\ndeactivate system services\nset x comment "{one}, {two}"\n';
  expect(read('juniper-junos', text)).toEqual(text.trim().split('\n'));
});

test('a value of PAN-OS continues without quotes up to its semicolon, or up to the next set', () => {
  const braces = 'config {\n  system {\n    login-banner one {\ntwo }~;\n    domain b;\n  }\n}\n';
  expect(toSet(parse('paloalto-panos', braces.replace('one {', 'one |')))).toEqual([
    'set system login-banner one |\ntwo }~',
    'set system domain b',
  ]);
  expect(read('paloalto-panos', 'set login-banner !one\n!two\nset domain b\n')).toEqual([
    'set login-banner !one\n!two',
    'set domain b',
  ]);
});

test('an iRule of F5 is one block, whatever braces it holds; quotes span lines', () => {
  const text =
    'ltm rule /Common/r {\nwhen HTTP_REQUEST {\n  if { [x] } { log "{" }\n}\n\\}\n}\nltm pool p {\n    description "one\n two"\n    members { a }\n}\n';
  const balanced = text.replace('log "{"', 'log');
  expect(read('f5-bigip', balanced)).toEqual([
    ['ltm rule /Common/r', ['when HTTP_REQUEST {\n  if { [x] } { log }\n}\n\\}']],
    ['ltm pool p', ['description "one\n two"', 'members { a }']],
  ]);
});

test('SR OS is read between braces when it comes so', () => {
  expect(read('nokia-sros', '# TiMOS\nconfigure {\n    system {\n        name "a"\n    }\n}\n')).toEqual([
    ['configure', [['system', ['name "a"']]]],
  ]);
});

test('a brace that closes nothing stays a line; one that is open at the end is reported', () => {
  const { warnings, lines } = parse('juniper-junos', '}\nsystem {\n  a;\n');
  expect(lines.map(({ text }) => text)).toEqual(['}', 'system']);
  expect(warnings).toEqual([
    { line: 1, reason: 'the closing brace has no opening brace' },
    { line: 2, reason: 'the brace is not closed' },
  ]);
});

test('FortiOS nests by config and edit; end closes an open edit too; a quote spans lines', () => {
  const text =
    '#config-version=1\nconfig system interface\nedit "w 1"\nset alias "one\ntwo"\nnext\nedit b\nset ip 1\nend\nconfig vpn\nend\nnext\n';
  expect(read('fortinet-fortios', text)).toEqual([
    [
      'config system interface',
      [
        ['edit "w 1"', ['set alias "one\ntwo"']],
        ['edit b', ['set ip 1']],
      ],
    ],
    'config vpn',
    'next',
  ]);
  expect(parse('fortinet-fortios', text).warnings).toEqual([{ line: 12, reason: 'next closes nothing' }]);
});

test('RouterOS: lines belong to the path before them', () => {
  const text =
    '# by RouterOS\n/interface bridge\nadd name=a\n/ip address add address=b\n/snmp\nset enabled=yes\n';
  expect(read('mikrotik-routeros', text)).toEqual([
    ['/interface bridge', ['add name=a']],
    '/ip address add address=b',
    ['/snmp', ['set enabled=yes']],
  ]);
});

test('JSON is parsed field by field', () => {
  const parsed = parse('json', '{"a": [1, true],\n "b c": {"d": null}}');
  expect(read('json', '{"a": [1, true],\n "b c": {"d": null}}')).toEqual([
    [
      '',
      [
        ['"a"', ['1', 'true']],
        ['"b c"', ['"d" null']],
      ],
    ],
  ]);
  expect(linesOf(parsed).map(({ line }) => line)).toEqual([1, 1, 1, 1, 2, 2]);
});
