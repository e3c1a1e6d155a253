import { isObject } from '#server/kernel/json/objects.ts';
import { DEEPEST, type Inventory, inventoryIn, type Vars } from './ansible-groups.ts';

/** Variables of a host that are secrets of Ansible: they never enter the inventory. */
const SECRET = /pass|secret|token|private_key|become/i;
/** How an encrypted value begins. */
const ENCRYPTED = '$ANSIBLE_VAULT';
/** The groups that every inventory has; they say nothing about a host. */
const IMPLIED = new Set(['all', 'ungrouped']);

/** A host of an Ansible inventory: its variables, its name, and the groups that it is in. */
export type AnsibleHost = Vars & { name: string; groups: string[] };

/** A group with the groups that it is in, itself among them, in the order in which Ansible applies their variables. */
type Placed = { depth: number; priority: number; above: Set<string> };

/**
 * Reads the hosts of an Ansible inventory with the variables of their groups. As in Ansible, variables of a host count more than
 * those of its groups, those of an inner group more than those of an outer one, and of groups of the same depth those
 * with the higher `ansible_group_priority`, then the later name.
 *
 * @param inventory `text`: INI, YAML, or the JSON of a dynamic inventory
 * @returns the hosts, without variables that are secrets
 * @throws Error when the text is none of these, or a group is in itself
 */
export function ansibleHosts({ text }: { text: string }): AnsibleHost[] {
  const inventory = inventoryIn(text);
  const places = placesOf(inventory);
  const groupsOfHosts = new Map<string, Set<string>>();
  for (const [name, { hosts }] of inventory.groups) {
    for (const host of hosts) {
      const groups = groupsOfHosts.get(host) ?? new Set<string>();
      for (const one of places.get(name)?.above ?? []) groups.add(one);
      groupsOfHosts.set(host, groups);
    }
  }
  return [...groupsOfHosts].map(([name, groups]) => {
    const ordered = inOrder(groups, places);
    const vars = ordered.map((group) => inventory.groups.get(group)?.vars ?? {});
    return {
      ...withoutSecrets(Object.assign({}, ...vars, inventory.hosts.get(name))),
      name,
      groups: ordered.filter((group) => !IMPLIED.has(group)),
    };
  });
}

const withoutSecrets = (vars: Vars, depth = 0): Vars =>
  Object.fromEntries(
    Object.entries(vars)
      .filter(([name, value]) => !SECRET.test(name) && !isEncrypted(value))
      .map(([name, value]) => [name, plainOf(value, depth)]),
  );

const isEncrypted = (value: unknown): boolean =>
  typeof value === 'string' && value.trimStart().startsWith(ENCRYPTED);

/** Returns a value without what is secret at any level of its lists and mappings; an alias of YAML may lead into itself. */
function plainOf(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new Error('has a variable that is nested too deeply, or contains itself');
  if (Array.isArray(value))
    return value.filter((one) => !isEncrypted(one)).map((one) => plainOf(one, depth + 1));
  return isObject(value) ? withoutSecrets(value, depth + 1) : value;
}

/** Returns groups by depth, priority and name. */
const inOrder = (groups: ReadonlySet<string>, places: ReadonlyMap<string, Placed>): string[] =>
  [...groups].sort((left, right) => {
    const [one, other] = [places.get(left), places.get(right)];
    return (
      (one?.depth ?? 0) - (other?.depth ?? 0) ||
      (one?.priority ?? 1) - (other?.priority ?? 1) ||
      (left < right ? -1 : 1)
    );
  });

/** Returns where each group is: as deep as its longest path from `all`. @throws Error when a group is in itself */
function placesOf({ groups }: Inventory): Map<string, Placed> {
  const parents = new Map<string, string[]>();
  for (const [name, { children }] of groups)
    for (const child of children) parents.set(child, [...(parents.get(child) ?? []), name]);
  const places = new Map<string, Placed>();
  const open = new Set<string>();
  const place = (name: string): Placed => {
    const known = places.get(name);
    if (known) return known;
    if (open.has(name)) throw new Error(`has the group ${name.slice(0, 100)} in itself`);
    if (open.size > DEEPEST) throw new Error('has groups nested too deeply');
    open.add(name);
    const outer = (name === 'all' ? [] : (parents.get(name) ?? ['all'])).map(place);
    open.delete(name);
    const depth = Math.max(-1, ...outer.map((one) => one.depth)) + 1;
    if (depth > DEEPEST) throw new Error('has groups nested too deeply');
    const made = {
      depth,
      priority: Number(groups.get(name)?.vars.ansible_group_priority ?? 1) || 1,
      above: new Set([...outer.flatMap(({ above }) => [...above]), name]),
    };
    places.set(name, made);
    return made;
  };
  for (const name of groups.keys()) place(name);
  return places;
}
