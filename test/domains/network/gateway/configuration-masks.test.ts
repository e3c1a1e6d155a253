import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withoutConfigurationSecrets } from '#server/domains/network/gateway/command-secrets.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';

const FOLDER = new URL('../../../fixtures/masked-configurations/', import.meta.url);

test.each(readdirSync(FOLDER))(
  'every secret of the configuration %s is masked, in LF and CRLF lines',
  async (file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    expect(text).toContain('Lantern');
    for (const ending of ['\n', '\r\n']) {
      const masked = await withoutConfigurationSecrets(text.replaceAll('\n', ending));
      expect(masked.split('\n')).toHaveLength(text.split('\n').length);
      expect(masked.split('\n').filter((line) => line.includes('Lantern'))).toEqual([]);
      expect(masked.split('shown').length).toBe(text.split('shown').length);
    }
  },
);

test('what only names a secret, or announces none, stays as it is', async () => {
  const text = [
    'service password-encryption',
    'interface Loopback0',
    ' ip address 192.0.2.1 255.255.255.255',
    ' ip rip authentication mode md5',
    ' ip rip authentication key-chain RIP',
    'crypto isakmp policy 10',
    ' authentication pre-share',
    'aaa authentication login default group tacacs+ local',
    'snmp-server enable traps bgp',
    'ip ssh server algorithm encryption aes256-ctr',
    'set security ssh-known-hosts host 192.0.2.1 ecdsa-sha2-nistp256-key-size',
    'line vty 0 4',
    ' transport input ssh',
    'ssh server cipher aes256_ctr aes128_ctr',
    'add public-key="abc="',
  ];
  expect(await withoutConfigurationSecrets(text.join('\n'))).toBe(text.join('\n'));
});

test('secrets of a configuration in XML are masked when it is one long line', async () => {
  const entry = '<entry name="edge"><phash>Lantern1</phash><key>Lantern2</key></entry>';
  const masked = await withoutConfigurationSecrets(`<config>${'<a>b</a>'.repeat(400)}${entry}</config>`);
  expect(masked).not.toContain('Lantern');
  expect(masked.endsWith('<phash>********')).toBe(true);
});

test.each([
  JSON.stringify(JSON.stringify({ hostname: 'edge', password: 'Lantern1' })),
  JSON.stringify(JSON.stringify(JSON.stringify({ 'server-key': 'Lantern2' }))),
  'reply: &lt;user&gt;&lt;password&gt;Lantern3&lt;/password&gt;&lt;/user&gt;',
])('a secret in a document that is a text of another one is masked: %s', async (text) => {
  expect(await withoutConfigurationSecrets(text)).not.toContain('Lantern');
});

test.each([
  [['config system snmp community', 'edit 1', 'set name "Lantern1"'], 'set name ********'],
  [['/snmp community', 'add addresses=::/0 name=Lantern2'], 'add addresses=::/0 name=********'],
  [['"SNMP_COMMUNITY"', '"Lantern3"', '"TYPE" "RO"'], '********'],
])('a secret that the lines above announce is masked in rules and in issues: %j', async (lines, shown) => {
  const rule = lines.reduceRight<object[]>((below, line) => {
    const words = line.split(' ').map((value) => ({ type: 'literal', value }));
    return [{ words, lines: below }];
  }, []);
  const parents = lines.slice(0, -1);
  const issue = { parents, message: lines.at(-1), spec: { words: (lines.at(-1) ?? '').split(' ') } };
  const counted = { parents, rule: lines.at(-1) };
  expect(await maskedAnswer(counted, withoutConfigurationSecrets)).toMatchObject({ rule: shown });
  const forbidding = { parents, rule: `no: ${lines.at(-1)}` };
  expect(await maskedAnswer(forbidding, withoutConfigurationSecrets)).toMatchObject({ rule: `no: ${shown}` });
  const masked = JSON.stringify(await maskedAnswer({ rule, issue }, withoutConfigurationSecrets));
  expect(masked.split('"issue"')[0]).not.toContain('Lantern');
  expect(JSON.parse(masked).issue.message).toBe(shown);
  for (const lead of ['Required line is missing', 'Disallowed line is present', 'Line is out of order']) {
    const missing = { parents, message: `${lead}: ${lines.at(-1)}` };
    expect(await maskedAnswer(missing, withoutConfigurationSecrets)).toEqual({
      parents: expect.anything(),
      message: `${lead}: ${shown}`,
    });
  }
  const line = lines.at(-1) ?? null;
  const around = [
    { parents, message: '', found: [line, line] },
    { parents, old: line, new: line, after: line },
    { parents: lines, rule: 'below it' },
  ];
  expect(JSON.stringify(await maskedAnswer(around, withoutConfigurationSecrets))).not.toContain('Lantern');
});

test('the lines of an output are masked where a list has them, as in one text', async () => {
  const lines = [
    'hostname edge',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Lantern1',
    '-----END RSA PRIVATE KEY-----',
    'config system snmp community',
    ' edit 1',
    '  set name Lantern2\n  set status enable',
    'end',
  ];
  const masked = await maskedAnswer({ results: lines }, withoutConfigurationSecrets);
  expect(masked).toEqual({
    results: [
      ...lines.slice(0, 2),
      '********',
      ...lines.slice(3, 6),
      '  set name ********\n  set status enable',
      'end',
    ],
  });
  const words = ['interface', 'Loopback0', 'core', 'end'];
  expect(await maskedAnswer({ words }, withoutConfigurationSecrets)).toEqual({ words });
});

test('the lines of a key are masked where each is a rule, an issue or a parsed line of its own', async () => {
  const line = 'MIIEowIBAAKCAQEAn5kY0Lantern7uT2sOqA0mW8Zk3rVfQxPcH1bGdJeLt+Ui/';
  const answers = [
    { parents: [], rule: line },
    { parents: ['crypto pki'], rule: `no: ${line}` },
    { parents: [], message: `Required line is missing: ${line}`, found: [line] },
    { words: [{ type: 'literal', value: line }], lines: [] },
    { lines: [{ words: [{ type: 'literal', value: `${line.slice(2)}==` }] }] },
  ];
  for (const answer of answers) {
    const masked = JSON.stringify(await maskedAnswer(answer, withoutConfigurationSecrets));
    expect(masked).not.toContain('Lantern');
    expect(masked).toContain('********');
  }
  const others = [
    { rule: 'interface GigabitEthernet0/0/0/1', parents: [] },
    { rule: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', parents: [] },
    { jobId: line },
  ];
  for (const answer of others)
    expect(await maskedAnswer(answer, withoutConfigurationSecrets)).toEqual(answer);
});

test('a secret that a line above announces is masked in a template with marks, and in the lines of a comparison', async () => {
  const marked = [
    '<e/>config system snmp community',
    '    edit 1',
    '        {d/} set name "Lantern1"',
    '        <w/>{o/}set name Lantern2',
    '        set status enable',
  ];
  const masked = (await withoutConfigurationSecrets(marked.join('\n'))).split('\n');
  expect(masked).toEqual([
    '<e/>config system snmp community',
    '    edit 1',
    '        {d/} set name ********',
    '        <w/>{o/}set name ********',
    '        set status enable',
  ]);
  const diff = [
    [0, 'config system snmp community'],
    [0, '    edit 1'],
    [-1, '        set name "Lantern1"'],
    [1, '        set name "Lantern2"'],
    [0, '        set status enable'],
  ];
  expect(await maskedAnswer({ diff }, withoutConfigurationSecrets)).toEqual({
    diff: diff.map(([kind, line]) => [kind, String(line).replace(/"Lantern."/, '********')]),
  });
});
