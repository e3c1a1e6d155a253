import { parse } from 'yaml';
import { isObject } from '#server/kernel/json/objects.ts';

/** Variables of a host that are secrets of Ansible: they never enter the inventory. */
const SECRET = /pass|secret|token|private_key|become/i;
/** Depth of groups in groups. */
const DEEPEST = 20;
/** Maximum number of hosts that one pattern such as leaf[01:99] names, and of hosts in all groups together. */
const MOST_IN_RANGE = 10_000;
const MOST_HOSTS = 100_000;

type Vars = Record<string, unknown>;
/** A host of an Ansible inventory: its variables, its name, and the groups that it is in. */
export type AnsibleHost = Vars & { name: string; groups: string[] };

type Group = { hosts: Map<string, Vars>; children: string[]; vars: Vars };

/**
 * Reads the hosts of an Ansible inventory, YAML or INI, with the variables of their groups.
 *
 * @throws Error when the text is neither
 */
export function ansibleHosts({ text }: { text: string }): AnsibleHost[] {
  const groups = isYaml(text) ? yamlGroups(text) : iniGroups(text);
  const hosts = new Map<string, AnsibleHost>();
  const visit = (name: string, inherited: Vars, above: readonly string[]) => {
    const group = groups.get(name);
    if (!group || above.length > DEEPEST || above.includes(name)) return;
    const vars = { ...inherited, ...group.vars };
    const path = [...above, name];
    for (const [host, own] of group.hosts) {
      const known = hosts.get(host) ?? { name: host, groups: [] };
      const names = path.filter((one) => one !== 'all' && one !== 'ungrouped');
      hosts.set(host, {
        ...known,
        ...vars,
        ...own,
        name: host,
        groups: [...new Set([...known.groups, ...names])],
      });
    }
    for (const child of group.children) visit(child, vars, path);
  };
  const total = [...groups.values()].reduce((sum, group) => sum + group.hosts.size, 0);
  if (total > MOST_HOSTS) throw new Error(`has over ${MOST_HOSTS} hosts`);
  const inner = new Set([...groups.values()].flatMap(({ children }) => children));
  const all = groups.get('all')?.vars ?? {};
  for (const name of groups.keys()) if (!inner.has(name)) visit(name, name === 'all' ? {} : all, []);
  return [...hosts.values()].map((host) => withoutSecrets(host));
}

const withoutSecrets = (host: AnsibleHost): AnsibleHost => ({
  ...Object.fromEntries(Object.entries(host).filter(([name]) => !SECRET.test(name))),
  name: host.name,
  groups: host.groups,
});

/** After comments, an INI inventory begins with a host or a section, and YAML with a mapping. */
const isYaml = (text: string): boolean => {
  const first = text.split(/\r?\n/).find((line) => line.trim() !== '' && !/^\s*[#;]/.test(line)) ?? '';
  return /^\s*(---|\{|"?[\w.-]+"?\s*:(\s|$))/.test(first);
};

function yamlGroups(text: string): Map<string, Group> {
  const document: unknown = parse(text, { maxAliasCount: 100 });
  if (!isObject(document)) throw new Error('is not an inventory: the document must be a mapping of groups');
  const groups = new Map<string, Group>();
  const read = (name: string, value: unknown, depth: number) => {
    if (depth > DEEPEST) throw new Error('has groups nested too deeply');
    const group = groupIn(groups, name);
    if (!isObject(value)) return;
    for (const [host, vars] of entriesIn(value.hosts))
      for (const one of expanded(host)) group.hosts.set(one, isObject(vars) ? vars : {});
    Object.assign(group.vars, isObject(value.vars) ? value.vars : {});
    for (const [child, inner] of entriesIn(value.children)) {
      group.children.push(child);
      read(child, inner, depth + 1);
    }
  };
  for (const [name, value] of Object.entries(document)) read(name, value, 0);
  return groups;
}

const entriesIn = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

function iniGroups(text: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  let section = { name: 'ungrouped', part: 'hosts' };
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(^|\s)[#;].*$/, '').trim();
    if (line === '') continue;
    const head = /^\[([^\]:]+)(?::(vars|children))?\]$/.exec(line);
    if (head) section = { name: head[1] ?? '', part: head[2] ?? 'hosts' };
    else if (line.startsWith('[')) throw new Error(`has an invalid section in line ${at + 1}`);
    const group = groupIn(groups, section.name);
    if (head) continue;
    if (section.part === 'children') group.children.push(line);
    else if (section.part === 'vars') Object.assign(group.vars, pairsIn(line));
    else {
      const [name = '', ...rest] = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
      for (const one of expanded(name)) group.hosts.set(one, Object.assign({}, ...rest.map(pairsIn)));
    }
  }
  return groups;
}

/** Returns the variable of `name=value`. */
function pairsIn(text: string): Vars {
  const [, name = '', value = ''] = /^\s*([\w.-]+)\s*=\s*(.*)$/s.exec(text) ?? [];
  return name === '' ? {} : { [name]: value.replace(/^(["'])(.*)\1$/s, '$2') };
}

function groupIn(groups: Map<string, Group>, name: string): Group {
  const group = groups.get(name) ?? { hosts: new Map(), children: [], vars: {} };
  groups.set(name, group);
  return group;
}

/** Returns the names of a pattern: leaf[01:03] stands for leaf01, leaf02 and leaf03. */
function expanded(pattern: string): string[] {
  const [, before = '', from = '', to = '', after = ''] = /^([^[]*)\[(\d+):(\d+)\](.*)$/.exec(pattern) ?? [];
  if (from === '') return [pattern];
  const count = Number(to) - Number(from) + 1;
  if (count < 1 || count > MOST_IN_RANGE) throw new Error(`has the invalid range ${pattern.slice(0, 100)}`);
  return Array.from(
    { length: count },
    (_, at) => `${before}${String(Number(from) + at).padStart(from.length, '0')}${after}`,
  );
}
