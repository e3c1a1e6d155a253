import { expect, test } from 'vitest';
import { ansibleHosts } from '#server/domains/network/sources/ansible.ts';

/** Returns variables and groups of each host, by name. */
const read = (text: string) =>
  Object.fromEntries(
    ansibleHosts({ text }).map(({ name, groups, ...vars }) => [name, { ...vars, groups: groups.sort() }]),
  );

const INI = `# the fleet
lone ansible_host=192.0.2.1 note="a # b" tint=x#y  # a comment

[leafs]
leaf[01:02] ansible_host=192.0.2.11 site="north hall"
leaf-[a:c:2]:2222
both site=own

[spines]
both
spine ansible_host=192.0.2.2 ansible_ssh_pass="a#b" up=True units=5

[spines:vars]
site=spines
os="arista eos"
spaced = value with spaces

[fabric:children]
leafs
spines
[fabric:vars]
site=fabric
dc=one
os=nxos

[alpha]
lone
[zeta]
lone
[alpha:vars]
prio=alpha
ansible_group_priority=5
[zeta:vars]
prio=zeta
[all:vars]
dc=all
ntp=192.0.2.250
`;

// What ansible-inventory 2.19 prints for this text with --list, without the password, which is never read.
const HOSTS = {
  lone: {
    ...{ ansible_host: '192.0.2.1', note: 'a # b', tint: 'x', prio: 'alpha', dc: 'all', ntp: '192.0.2.250' },
    groups: ['alpha', 'zeta'],
  },
  leaf01: {
    ...{ ansible_host: '192.0.2.11', site: 'north hall', dc: 'one', os: 'nxos', ntp: '192.0.2.250' },
    groups: ['fabric', 'leafs'],
  },
  leaf02: {
    ...{ ansible_host: '192.0.2.11', site: 'north hall', dc: 'one', os: 'nxos', ntp: '192.0.2.250' },
    groups: ['fabric', 'leafs'],
  },
  'leaf-a': {
    ...{ ansible_port: 2222, site: 'fabric', dc: 'one', os: 'nxos', ntp: '192.0.2.250' },
    groups: ['fabric', 'leafs'],
  },
  'leaf-c': {
    ...{ ansible_port: 2222, site: 'fabric', dc: 'one', os: 'nxos', ntp: '192.0.2.250' },
    groups: ['fabric', 'leafs'],
  },
  both: {
    ...{ site: 'own', spaced: 'value with spaces', dc: 'one', os: 'arista eos', ntp: '192.0.2.250' },
    groups: ['fabric', 'leafs', 'spines'],
  },
  spine: {
    ...{ ansible_host: '192.0.2.2', up: true, units: 5, site: 'spines', spaced: 'value with spaces' },
    ...{ dc: 'one', os: 'arista eos', ntp: '192.0.2.250' },
    groups: ['fabric', 'spines'],
  },
};

test('variables of hosts, inner groups, priorities and outer groups count in the order of Ansible', () => {
  const hosts = read(INI);
  for (const vars of Object.values(hosts)) delete (vars as Record<string, unknown>).ansible_group_priority;
  expect(hosts).toEqual(HOSTS);
});

test('the JSON of a dynamic inventory is read like the inventory that it comes from', () => {
  const groups = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((group) => [
        group,
        Object.entries(HOSTS).flatMap(([name, host]) => (host.groups.includes(group) ? [name] : [])),
      ]),
    );
  const { leafs, ...others } = groups(['leafs', 'spines', 'alpha', 'zeta']);
  const vars = Object.entries(HOSTS).map(([name, { groups: _, ...own }]) => [name, own]);
  const document = {
    _meta: { hostvars: { ...Object.fromEntries(vars), gone: { site: 'nowhere' } } },
    all: { children: ['ungrouped', 'fabric', 'alpha', 'zeta'] },
    fabric: { children: ['leafs', 'spines'] },
    leafs: { hosts: leafs },
    ...others,
  };
  expect(read(JSON.stringify(document, null, 2))).toEqual(HOSTS);
});

test('addresses of IPv6 are hosts, encrypted values and passwords are left out', () => {
  const yaml = `all:
  hosts:
    2001:db8::1:
    edge: { ansible_password: hush, key: !vault "$ANSIBLE_VAULT;1.1;AES256 6162", other: "$ANSIBLE_VAULT;1.1" , port: 22 }
`;
  expect(read(yaml)).toEqual({ '2001:db8::1': { groups: [] }, edge: { port: 22, groups: [] } });
  expect(read('[a]\n2001:db8::1 x=1\n[2001:db8::2]:2222\n')).toEqual({
    '2001:db8::1': { x: 1, groups: ['a'] },
    '2001:db8::2': { ansible_port: 2222, groups: ['a'] },
  });
});

test('encrypted values and passwords are left out at every level of a variable', () => {
  const yaml = `all:
  hosts:
    edge:
      snmp:
        read: !vault |
          $ANSIBLE_VAULT;1.2;AES256;dev
          61626364
        location: hall
        users: [{ name: ops, auth_password: hush }, !vault "$ANSIBLE_VAULT;1.1;AES256 6162"]
`;
  expect(read(yaml)).toEqual({ edge: { snmp: { location: 'hall', users: [{ name: 'ops' }] }, groups: [] } });
});

test.each([
  ['all:\n  vars:\n    password: "hush\n', 'is not valid YAML: Missing closing "quote at line 4, column 1'],
  ['all:\n  vars:\n    password: *hush\n', 'is not valid YAML: Unresolved alias'],
  ['all:\n  vars:\n    password: hush: x\n', /^is not valid YAML: Nested mappings .* at line 3, column 15$/],
])('the reason why %j cannot be read names the line and quotes nothing of it', (text, reason) => {
  expect(() => ansibleHosts({ text })).toThrow(reason);
  expect(() => ansibleHosts({ text })).not.toThrow(/hush/);
});

test.each([
  ["'all':\n  hosts:\n    edge: {ansible_port: 22}\n", []],
  ['%YAML 1.2\n---\nall:\n  hosts:\n    edge: {ansible_port: 22}\n', []],
  ['\uFEFF# racks\r\ndata hall 1: # one\r\n  hosts:\r\n    edge: {ansible_port: 22}\r\n', ['data hall 1']],
  ['all:\n  vars: {ansible_port: 22}\n  hosts: edge\n', []],
  ['other: &usual\n  vars: {ansible_port: 22}\nracks:\n  <<: *usual\n  hosts: [edge]\n', ['racks']],
  ['[racks]\nedge\n[racks:vars]\nansible_port = 22 # SSH\n', ['racks']],
  ['edge ansible_port=22 note="a: b"\n', []],
])('the inventory %j has one host, whatever it begins with', (text, groups) => {
  const { edge, ...others } = read(text);
  expect(edge).toMatchObject({ ansible_port: 22, groups });
  expect(others).toEqual({});
});

test('all hosts may share the variables of one anchor', () => {
  const names = Array.from({ length: 300 }, (_, at) => `edge-${at}`);
  const hosts = names.map((name) => `    ${name}:\n      <<: *usual\n      site: hall\n`);
  const shared = read(`racks:\n  vars:\n    login: &usual { ansible_port: 22 }\n  hosts:\n${hosts.join('')}`);
  for (const name of names) expect(shared[name]).toMatchObject({ ansible_port: 22, site: 'hall' });
});

test('aliases of aliases that multiply are rejected before they are built', () => {
  const levels = Array.from({ length: 12 }, (_, at) =>
    at === 0 ? 'l0: &l0 [x, x]' : `l${at}: &l${at} [${Array.from({ length: 10 }, () => `*l${at - 1}`)}]`,
  );
  expect(() => read(levels.join('\n'))).toThrow(/Excessive alias count|aliases of one part/);
});

test.each([
  ['a group in itself', '[a:children]\nb\n[b:children]\na\n', /has the group [ab] in itself/],
  ['a range that runs backwards', '[a]\nx[5:1]\n', /invalid range x\[5:1\]/],
  ['ranges of too many hosts', '[a]\nx[0:999][0:999]\n', /invalid range/],
  ['a range of nothing', '[a]\nx[:]\n', /invalid range/],
  ['an unknown section', '[a:things]\n', /invalid section in line 1/],
  ['deep groups', Array.from({ length: 150 }, (_, at) => `[g${at}:children]\ng${at + 1}`).join('\n'), /deep/],
])('an inventory with %s is rejected with the reason', (_, text, reason) => {
  expect(() => ansibleHosts({ text })).toThrow(reason);
});

test.each(['all:\n  hosts:\n    h: &a {v: *a}\n', 'all:\n  hosts:\n    h: {v: &a [1, *a]}\n'])(
  'a variable that contains itself is an error that says so',
  (text) => {
    expect(() => ansibleHosts({ text })).toThrow(
      'has a variable that is nested too deeply, or contains itself',
    );
  },
);

test('a host that has a variable in each of thousands of groups is read in a moment', () => {
  const text = Array.from({ length: 6000 }, (_, at) => `[group${at}]\nedge var${at}=${at}`).join('\n');
  const before = process.cpuUsage();
  const [edge] = ansibleHosts({ text });
  expect(edge?.var5999).toBe(5999);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
});

test('groups that many paths lead to are read in a moment', () => {
  const levels = Array.from({ length: 40 }, (_, at) =>
    ['a', 'b'].map((one) => `[${one}${at}:children]\na${at + 1}\nb${at + 1}`).join('\n'),
  );
  const [host] = ansibleHosts({ text: `${levels.join('\n')}\n[a40]\nedge\n[b40]\nedge\n` });
  expect(host?.groups).toHaveLength(82);
});
