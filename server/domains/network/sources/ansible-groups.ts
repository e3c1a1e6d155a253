import { isObject } from '#server/kernel/json/objects.ts';
import { isIPv6 } from '#server/kernel/targets/networks.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
import { parseYaml } from '#server/kernel/text/yaml.ts';

/** Maximum depth of groups in groups. */
export const DEEPEST = 100;
/** Maximum number of hosts that one pattern such as leaf[01:99] names, and of hosts in all groups together. */
const MOST_IN_RANGE = 10_000;
const MOST_HOSTS = 100_000;
/** Most aliases of one part: many inventories give every host the same variables. */
const MOST_ALIASES = 10_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Variables of a host or a group, by name. */
export type Vars = Record<string, unknown>;
/** A group as the text defines it: names of its own hosts, names of the groups in it, and its variables. */
export type Group = { hosts: Set<string>; children: Set<string>; vars: Vars };
/** An inventory as the text defines it; the own variables of a host are the same in all of its groups. */
export type Inventory = { groups: Map<string, Group>; hosts: Map<string, Vars> };

/**
 * Reads an Ansible inventory: INI, YAML, or the JSON that `ansible-inventory --list` and dynamic inventories print.
 *
 * @param text the whole inventory
 * @returns groups by name, and the own variables of each host by its name
 * @throws Error when the text is none of these
 */
export function inventoryIn(text: string): Inventory {
  const inventory: Inventory = { groups: new Map(), hosts: new Map() };
  if (isYaml(text)) readYaml(inventory, text);
  else readIni(inventory, text);
  return inventory;
}

/** After comments, an INI inventory begins with a host or a section, and YAML with a mapping: a name and a colon. */
const YAML_START = /^\s*(---|%YAML|\{|("[^"]*"\s*|'[^']*'\s*|[^[\s=:][^=:]*):(\s|$))/;

const isYaml = (text: string): boolean => {
  const first = text.split(/\r?\n/).find((line) => line.trim() !== '' && !/^\s*[#;]/.test(line)) ?? '';
  return YAML_START.test(first);
};

function groupIn({ groups }: Inventory, name: string): Group {
  const group = groups.get(name) ?? { hosts: new Set(), children: new Set(), vars: {} };
  groups.set(name, group);
  return group;
}

/** Adds the hosts that a pattern names to a group. */
function addHosts(inventory: Inventory, group: Group, pattern: string, vars: Vars): void {
  const { names, port } = hostsNamed(pattern);
  for (const name of names) {
    group.hosts.add(name);
    // Extended in place: a host may be in thousands of groups, each with a variable of it.
    const own = inventory.hosts.get(name) ?? {};
    inventory.hosts.set(name, Object.assign(own, port !== undefined && { ansible_port: port }, vars));
  }
  if (inventory.hosts.size > MOST_HOSTS) throw new Error(`has over ${MOST_HOSTS} hosts`);
}

function readYaml(inventory: Inventory, text: string): void {
  const document = yamlIn(text);
  if (!isObject(document)) throw new Error('is not an inventory: the document must be a mapping of groups');
  const read = (name: string, value: unknown, depth: number) => {
    if (depth > DEEPEST) throw new Error('has groups nested too deeply');
    const group = groupIn(inventory, name);
    const { hosts, children, vars }: Vars = Array.isArray(value)
      ? { hosts: value }
      : isObject(value)
        ? value
        : {};
    for (const [host, own] of entriesIn(hosts)) addHosts(inventory, group, host, isObject(own) ? own : {});
    Object.assign(group.vars, isObject(vars) ? vars : {});
    for (const [child, inner] of entriesIn(children)) {
      group.children.add(child);
      read(child, inner, depth + 1);
    }
  };
  for (const [name, value] of Object.entries(document)) if (name !== '_meta') read(name, value, 0);
  const { hostvars }: Vars = isObject(document._meta) ? document._meta : {};
  for (const [host, vars] of entriesIn(hostvars)) {
    const own = inventory.hosts.get(host);
    if (own && isObject(vars)) Object.assign(own, vars);
  }
}

/** @throws Error without the lines that are wrong, which the parser quotes: they may hold a password */
function yamlIn(text: string): unknown {
  try {
    return parseYaml(text, MOST_ALIASES, { merge: true });
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n', 1);
    const reason = line.replace(/ \(the anchor .*/, '');
    throw new Error(`is not valid YAML: ${withoutFinal(reason, ':')}`);
  }
}

/** Returns names with their values: of a mapping, or, with null values, of a list or a single name (dynamic inventories). */
const entriesIn = (value: unknown): [string, unknown][] =>
  typeof value === 'string'
    ? [[value, null]]
    : Array.isArray(value)
      ? value.filter((one) => typeof one === 'string').map((name) => [name, null])
      : isObject(value)
        ? Object.entries(value)
        : [];

function readIni(inventory: Inventory, text: string): void {
  let section = { name: 'ungrouped', part: 'hosts' };
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const head = /^\[([^\]:]+)(?::(vars|children|hosts))?\]\s*(?:[#;].*)?$/.exec(line);
    if (head) section = { name: head[1]?.trim() ?? '', part: head[2] ?? 'hosts' };
    else if (line.startsWith('[') && !/^\[[0-9a-f:.]+\]/i.test(line))
      throw new Error(`has an invalid section in line ${at + 1}`);
    const group = groupIn(inventory, section.name);
    if (head) continue;
    const [name, ...rest] = wordsIn(line);
    if (name === undefined) continue;
    if (section.part === 'children') group.children.add(name);
    else if (section.part === 'vars') Object.assign(group.vars, variableIn(line));
    else addHosts(inventory, group, name, Object.assign({}, ...rest.map(variableIn)));
  }
}

/** A part of a line as a shell reads it; a quotation that is not closed ends with the line. */
const PART =
  /"(?<double>(?:\\.|[^"\\]|\\$)*)(?:"|$)|'(?<single>[^']*)(?:'|$)|\\(?<escaped>.)|(?<blank>\s+)|(?<comment>#)|(?<plain>[^\s"'\\#]+|\\)/gs;

/** Returns the words of a line as a shell splits them; a comment ends it. */
function wordsIn(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups = {} } of line.matchAll(PART)) {
    const { double, single, escaped, blank, comment, plain } = groups;
    if (comment !== undefined || (word === undefined && plain?.startsWith(';'))) break;
    if (blank === undefined) {
      word = (word ?? '') + (double?.replace(/\\(["\\])/g, '$1') ?? single ?? escaped ?? plain ?? '');
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Returns the variable of `name=value`; whole numbers and booleans are read as such, as in Ansible. */
function variableIn(text: string): Vars {
  const [, name = '', rest = ''] = /^\s*([\w.-]+)\s*=(.*)$/s.exec(text) ?? [];
  const given = rest.trim();
  if (name === '') return {};
  const [, , quoted] = /^(["'])(.*?)\1\s*(?:#.*)?$/s.exec(given) ?? [];
  if (quoted !== undefined) return { [name]: quoted };
  // As Python reads it: a comment ends a number or a boolean, and is part of any other text.
  const [before = ''] = given.split('#', 1);
  const bare = before.trimEnd();
  if (/^(True|False)$/.test(bare)) return { [name]: bare === 'True' };
  return { [name]: /^(0|-?[1-9]\d{0,14})$/.test(bare) ? Number(bare) : given };
}

/** Returns the hosts of a pattern such as leaf[01:03] or leaf[a:c]:2222, and the port that it names. */
function hostsNamed(pattern: string): { names: string[]; port?: number } {
  const [, named, port] = /^((?:[^:[\]]|\[[^\]]*\])+):(\d{1,5})$/.exec(pattern) ?? [];
  const plain = named ?? pattern;
  const address = /^\[(.*)\]$/.exec(plain)?.[1] ?? plain;
  const names = isIPv6(address) ? [address] : expanded(plain);
  return { names, ...(port !== undefined && { port: Number(port) }) };
}

/** Returns the names of a pattern: leaf[01:07:3] stands for leaf01, leaf04 and leaf07. */
function expanded(pattern: string): string[] {
  let names = [''];
  let rest = pattern;
  for (;;) {
    const found = /^([^[]*)\[([^\]]*)\]/.exec(rest);
    if (!found) return names.map((name) => name + rest);
    const [whole, before = '', range = ''] = found;
    const parts = valuesIn(range);
    if (!parts || parts.length * names.length > MOST_IN_RANGE)
      throw new Error(`has the invalid range ${pattern.slice(0, 100)}`);
    names = names.flatMap((name) => parts.map((part) => name + before + part));
    rest = rest.slice(whole.length);
  }
}

/** Returns the texts of a range such as 01:03, 1:9:2 or a:f; null when it is invalid or too long. */
function valuesIn(range: string): string[] | null {
  const [, from = '', to = '', by = '1'] = /^(\d*|[a-z]):(\d+|[a-z])(?::(\d+))?$/i.exec(range) ?? [];
  const isLetter = LETTERS.includes(to) && LETTERS.includes(from) && from !== '';
  const [first, last] = isLetter ? [LETTERS.indexOf(from), LETTERS.indexOf(to)] : [Number(from), Number(to)];
  const [step, width] = [Number(by), from.startsWith('0') ? from.length : 0];
  if (to === '' || !(last >= first) || step < 1) return null;
  const count = Math.floor((last - first) / step) + 1;
  if (count > MOST_IN_RANGE) return null;
  return Array.from({ length: count }, (_, at) => {
    const value = first + at * step;
    return isLetter ? (LETTERS[value] ?? '') : String(value).padStart(width, '0');
  });
}
