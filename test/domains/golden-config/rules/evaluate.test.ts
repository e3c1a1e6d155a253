import { describe, expect, test } from 'vitest';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { evaluate } from '#server/domains/golden-config/rules/evaluate.ts';
import { check, dialect, IOS, linesOf, reported } from './invented-rules.ts';

const XR = dialect('cisco-ios-xr');

const NO_ISSUES = { errors: 0, warnings: 0, infos: 0 };

describe('verdicts', () => {
  test('one for each rule: required lines that exist pass, others are issues of their severity', () => {
    const result = check('ntp server a\n<e/>ntp server b\n<i/>ntp server c\nend', 'ntp server a\nend');
    expect(result.totals).toEqual({ errors: 1, warnings: 0, infos: 1, passes: 2 });
    expect(result.evaluated).toBe(4);
    expect(reported(result)).toEqual(['error required: ntp server b', 'info required: ntp server c']);
  });

  test('a line must match as a whole', () => {
    expect(reported(check('ip ssh version', 'ip ssh version 2'))).toEqual([
      'warning required: ip ssh version',
    ]);
  });

  test('a missing parent is one issue, and one for each required line below, marked so', () => {
    const { issues, totals } = check(
      'interface Gi1\n <e/>ip address a\n {d/}shutdown\n {o/}mtu 9000\n  mtu deep\n service-policy x\n  priority\n',
      'hostname a',
    );
    expect(totals).toEqual({ errors: 1, warnings: 3, infos: 0, passes: 0 });
    expect(
      issues.map(({ spec, under, parents }) => [spec.words.at(-1)?.value, under ?? null, parents]),
    ).toEqual([
      ['Gi1', null, []],
      ['a', issues[0]?.spec.id, ['interface Gi1']],
      ['x', issues[0]?.spec.id, ['interface Gi1']],
      ['priority', issues[2]?.spec.id, ['interface Gi1', 'service-policy x']],
    ]);
  });

  test('a disallowed line passes where its parent exists and the line does not', () => {
    const rules = 'line vty 0 4\n {d/}transport input telnet\n{d/}ip http server';
    expect(check(rules, 'line vty 0 4').totals).toEqual({ ...NO_ISSUES, passes: 3 });
    expect(check(rules, 'hostname a').totals).toEqual({ ...NO_ISSUES, warnings: 1, passes: 1 });
    const result = check(rules, 'line vty 0 4\n transport input telnet\nip http server');
    expect(reported(result)).toEqual([
      'warning disallowed: transport input telnet',
      'warning disallowed: ip http server',
    ]);
    expect(result.issues[0]).toMatchObject({ parents: ['line vty 0 4'], found: ['transport input telnet'] });
  });

  test('rules below a disallowed line apply only where that line exists', () => {
    const rules = '{d/}router rip\n {d/}version 1\n network a';
    expect(check(rules, 'end').totals).toEqual({ ...NO_ISSUES, passes: 1 });
    expect(reported(check(rules, 'router rip\n version 1'))).toEqual([
      'warning disallowed: router rip',
      'warning disallowed: version 1',
      'warning required: network a',
    ]);
  });

  test('a missing optional line is no issue; the lines below a present one are checked', () => {
    const rules = '{o/}router bgp 1\n <e/>no auto-summary';
    expect(check(rules, 'end').evaluated).toBe(0);
    expect(reported(check(rules, 'router bgp 1\n synchronization'))).toEqual([
      'error required: no auto-summary',
    ]);
  });

  test('ignored lines and the lines below them never count', () => {
    expect(check('{i/}hostname a\n{i/}banner x\n deep', 'end').evaluated).toBe(0);
  });

  test('a pattern applies to every line that it matches, and its children below each of them', () => {
    const rules = 'interface {/Gi.*/}\n <e/>no ip redirects';
    const config = 'interface Gi1\n no ip redirects\ninterface Gi2\n mtu 1\ninterface Te1\n mtu 1\n';
    const result = check(rules, config);
    expect(result.totals).toEqual({ errors: 1, warnings: 0, infos: 0, passes: 2 });
    expect(result.issues[0]?.parents).toEqual(['interface Gi2']);
    expect(check(rules, 'end').totals).toEqual({ errors: 1, warnings: 1, infos: 0, passes: 0 });
  });

  test('a pattern may span words, begin the line, or be the whole of it', () => {
    const config = 'ip address 10.0.0.1 255.0.0.0\nip http server';
    for (const rule of [
      'ip address {/[0-9. ]+/}',
      '{/ip|ipv6/} address {/.*/}',
      '{/.*255.*/}',
      '{/IP address.*|ip http server/}',
    ]) {
      expect(check(rule, config).totals.passes, rule).toBe(1);
    }
    expect(check('{/address.*/}', config).totals.warnings).toBe(1);
    expect(check('{/(?i)IP HTTP SERVER/}', config).totals.passes).toBe(1);
  });

  test('disallowed patterns report every line that they match, once', () => {
    const { issues } = check(
      '{d/}username {/.*/} password {/.*/}',
      'username a password b\nusername c password d\nusername a password b',
    );
    expect(issues).toHaveLength(1);
    expect(issues[0]?.found).toEqual(['username a password b', 'username c password d']);
  });

  test('repeated lines of the device are one parent', () => {
    expect(check('router bgp 1\n a\n b', 'router bgp 1\n a\nrouter bgp 1\n b').totals).toEqual({
      ...NO_ISSUES,
      passes: 3,
    });
    expect(check('router {/.*/}\n a\n b', 'router bgp 1\n a\nrouter bgp 1\n b').totals.passes).toBe(3);
  });

  test('identical lines under one parent in one spec are one rule', () => {
    const result = check('ntp a\nntp a\ninterface x\n a\ninterface x\n b', 'ntp a\ninterface x\n a\n b');
    expect(result.totals).toEqual({ ...NO_ISSUES, passes: 4 });
  });

  test('a banner is compared with all its lines', () => {
    const banner = 'banner motd ^C\n  keep   out\n^C\nend';
    expect(check(banner, banner).totals).toEqual({ ...NO_ISSUES, passes: 3 });
    expect(check(banner, banner.replace('keep   out', 'keep out')).totals.warnings).toBe(1);
  });
});

describe('order', () => {
  const acl = (mark: string, ...lines: string[]) =>
    [`${mark}ip access-list extended A`, ...lines.map((line) => ` ${line}`)].join('\n');

  test('a kept order adds nothing; a broken one an issue of its parent’s severity for each line that breaks it', () => {
    expect(check(acl('{llo/}', 'a', 'b', 'c'), acl('', 'a', 'x', 'b', 'c')).totals).toEqual({
      ...NO_ISSUES,
      passes: 4,
    });
    const result = check(acl('<e/>{llo/}', 'a', 'b', 'c', 'd'), acl('', 'b', 'c', 'd', 'a'));
    expect(reported(result)).toEqual(['error ordering: a']);
    expect(result.totals).toEqual({ errors: 1, warnings: 0, infos: 0, passes: 5 });
    expect(result.evaluated).toBe(5);
  });

  test('strict: no other lines between, from the first on', () => {
    expect(reported(check(acl('{lso/}', 'a', 'b'), acl('', 'a', 'b', 'x')))).toEqual([]);
    expect(reported(check(acl('{lso/}', 'a', 'b'), acl('', 'a', 'x', 'b')))).toEqual(['warning ordering: b']);
    expect(reported(check(acl('{lso/}', 'a', 'b', 'c'), acl('', 'b', 'a', 'c')))).toEqual([
      'warning ordering: a',
      'warning ordering: b',
    ]);
  });

  test('lines that are missing, ignored or forbidden move no other', () => {
    expect(reported(check(acl('{lso/}', 'a', 'b', 'c'), acl('', 'a', 'c')))).toEqual(['warning required: b']);
    expect(
      reported(
        check(acl('{lso/}', 'a', '{i/}{/remark .*/}', 'b'), acl('', 'remark x', 'a', 'remark y', 'b')),
      ),
    ).toEqual([]);
    expect(reported(check(acl('{lso/}', 'a', '{d/}z', 'b'), acl('', 'a', 'z', 'b')))).toEqual([
      'warning disallowed: z',
    ]);
  });

  test('the lines of one pattern are at the position of the first', () => {
    expect(
      reported(check(acl('{lso/}', 'a', '{/deny .*/}', 'b'), acl('', 'a', 'deny x', 'deny y', 'b'))),
    ).toEqual([]);
    expect(reported(check(acl('{lso/}', 'a', '{/.*/}'), acl('', 'x', 'a')))).toEqual([
      'warning ordering: a',
      'warning ordering: /.*/',
    ]);
  });
});

describe('rules of several nodes', () => {
  test('the mode, severity and ordering of the deeper one apply', () => {
    const specs = ['<e/>ip http server\nntp a', '{d/}ip http server\nntp b'].map((template, at) => ({
      id: `s${at}`,
      lines: linesOf(template),
    }));
    const program = compileRules(specs, {}, IOS);
    const result = evaluate(program, parseConfig('ip http server\nntp a\nntp b', IOS));
    expect(reported(result)).toEqual(['warning disallowed: ip http server']);
    expect(result.perSpec).toEqual([
      { specId: 's0', totals: { ...NO_ISSUES, passes: 1 } },
      { specId: 's1', totals: { ...NO_ISSUES, warnings: 1, passes: 1 } },
    ]);
  });

  test('lines below the same line are merged', () => {
    const result = check(['interface x\n a', 'interface x\n b'], 'interface x\n a\n c');
    expect(reported(result)).toEqual(['warning required: b']);
    expect(result.issues[0]?.specId).toBe('spec-1');
  });
});

describe('words that are variables', () => {
  const lines = [
    {
      id: '1',
      words: [
        { type: 'literal' as const, value: 'ntp' },
        { type: 'variable' as const, value: 'site.ntp' },
      ],
    },
  ];
  const run = (site: unknown) =>
    evaluate(compileRules([{ id: 's', lines }], { site }, IOS), parseConfig('ntp 10.0.0.1', IOS));

  test('hold the value, which may be an expression', () => {
    expect(run({ ntp: '10.0.0.1' }).totals.passes).toBe(1);
    expect(run({ ntp: '10.0.0.2' }).totals.warnings).toBe(1);
    expect(run({ ntp: { type: 'regex', value: '10[.].*' } }).totals.passes).toBe(1);
  });

  test('without a value are rejected by name', () => {
    expect(() => run({})).toThrow('site.ntp is undefined');
    expect(() => run({ constructor: 1 }.constructor)).toThrow('undefined');
  });
});

test('the comma behind a value of a list of IOS XR does not count, in stored lines either', () => {
  const words = (...values: string[]) => values.map((value) => ({ type: 'literal' as const, value }));
  const lines = [
    {
      id: '1',
      words: words('prefix-set', 'P'),
      lines: [
        { id: '2', words: words('192.0.2.0/24', 'le', '32,') },
        { id: '3', words: words('198.51.100.0/24', ',') },
      ],
    },
  ];
  const program = compileRules([{ id: 's', lines }], {}, XR);
  const config = 'prefix-set P\n  192.0.2.0/24 le 32,\n  203.0.113.0/24\nend-set\n';
  const { totals, issues } = evaluate(program, parseConfig(config, XR));
  expect(totals).toEqual({ ...NO_ISSUES, warnings: 1, passes: 2 });
  expect(issues.map(({ spec }) => spec.id)).toEqual(['3']);
});

test('an issue names only its own lines of the configuration and their parents', () => {
  const { issues } = check(
    'interface GigabitEthernet0/0/1\n {d/}{/description .*/}',
    'interface GigabitEthernet0/0/1\n description something long enough',
  );
  expect(issues[0]?.parents).toEqual(['interface GigabitEthernet0/0/1']);
  expect(issues[0]?.found).toEqual(['description something long enough']);
});
