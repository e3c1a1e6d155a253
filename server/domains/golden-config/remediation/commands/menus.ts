import type { ConfigLine, ParsedConfig } from '../../parsing/config-line.ts';
import type { Command } from './difference.ts';
import { NOT_NEGATED } from './negation.ts';

/** A line below the path of a menu: its verb, the item that it affects, and its values by their names. */
type MenuEntry = { verb: 'add' | 'set'; item: string; values: ReadonlyMap<string, string> };

const TOKENS = /\[[^\]]*\]|[^\s="[]+=(?:"(?:[^"\\]|\\.)*"|\S*)|\S+/g;

/** Parses a line below a menu; undefined for one of another form. */
function entryOf(text: string): MenuEntry | undefined {
  const [verb, ...tokens] = text.match(TOKENS) ?? [];
  if (verb !== 'add' && verb !== 'set') return undefined;
  const isValue = (token: string) => !token.startsWith('[') && token.includes('=');
  const first = tokens.findIndex(isValue);
  const given = first === -1 ? [] : tokens.slice(first);
  if (!given.every(isValue)) return undefined;
  const item = (first === -1 ? tokens : tokens.slice(0, first)).join(' ');
  const values = new Map(given.map((token) => [nameOf(token), token.slice(nameOf(token).length + 1)]));
  return { verb, item, values };
}

const nameOf = (token: string): string => token.slice(0, token.indexOf('='));
const settingsText = (values: Iterable<readonly [string, string]>): string =>
  [...values].map(([name, value]) => `${name}=${value}`).join(' ');
const setting = (item: string, values: Iterable<readonly [string, string]>): string =>
  ['set', item, settingsText(values)].filter((word) => word !== '').join(' ');

/** Exports omit defaults: of two words, the default is the one that is not exported. */
const OTHER: ReadonlyMap<string, string> = new Map([
  ['yes', 'no'],
  ['no', 'yes'],
]);

/** The added entries of a menu, by each of their values. */
type AddedItem = ReadonlyMap<string, ReadonlySet<string>>;

function addedBy(texts: readonly string[]): AddedItem {
  const added = new Map<string, Set<string>>();
  for (const text of texts) {
    const entry = entryOf(text);
    if (entry?.verb !== 'add') continue;
    for (const value of entry.values) {
      const token = settingsText([value]);
      added.set(token, (added.get(token) ?? new Set()).add(text));
    }
  }
  return added;
}

/**
 * Returns the command that negates a menu line: an added entry is found by all its values and removed, and a setting is
 * set to its default, if that is known.
 *
 * @param added the entries of the menu
 * @returns undefined when no command negates this line and no other
 */
function takenBack(text: string, added: AddedItem): string | undefined {
  const entry = entryOf(text);
  if (!entry || entry.values.size === 0) return undefined;
  if (entry.verb === 'set') {
    const back = [...entry.values].map(([name, value]) => [name, OTHER.get(value) ?? ''] as const);
    return back.every(([, value]) => value !== '') ? setting(entry.item, back) : undefined;
  }
  const having = [...entry.values].map((value) => added.get(settingsText([value])) ?? new Set<string>());
  const [fewest = new Set<string>()] = having.toSorted((one, other) => one.size - other.size);
  const isFoundToo = [...fewest].some((other) => other !== text && having.every((all) => all.has(other)));
  return isFoundToo ? undefined : `remove [ find ${settingsText(entry.values)} ]`;
}

const NONE: AddedItem = new Map();
const ADDED = new WeakMap<ConfigLine, AddedItem>();

function addedBelow(menu: ConfigLine): AddedItem {
  const added = ADDED.get(menu) ?? addedBy(menu.children.map(({ text }) => text));
  ADDED.set(menu, added);
  return added;
}

/** Returns why a menu line cannot be removed; null when it can. */
export function menuRemovalObstacle({ text, parent }: ConfigLine): string | null {
  if (!parent) return 'the command that removes a whole menu is unknown';
  if (takenBack(text, addedBelow(parent)) !== undefined) return null;
  return takenBack(text, NONE) === undefined
    ? 'the command that removes the line is unknown'
    : 'the expression that finds the entry also matches others';
}

/** Returns the menu line that sets the same item as a new one. */
export function sameItem(text: string, lines: readonly ConfigLine[]): string | null {
  const wanted = entryOf(text);
  if (wanted?.verb !== 'set') return null;
  const found = lines.find((line) => {
    const entry = entryOf(line.text);
    return entry?.verb === 'set' && entry.item === wanted.item;
  });
  return found?.text ?? null;
}

/** Values that restrict nothing. */
const UNRESTRICTING = new Set(['chain', 'action', 'comment', 'log', 'log-prefix', 'disabled']);

/** Actions after which no further entry is tried. */
const FINAL = new Set(['accept', 'drop', 'reject', 'tarpit', 'masquerade', 'src-nat', 'dst-nat', 'notrack']);

/** Returns whether the entries of a menu are tried in order. */
export const isFirewall = (menu: string): boolean => menu.split(/[ /]/).includes('firewall');

/** Returns the chain that an entry of a firewall is added to at its end; undefined for other lines. */
export function firewallChain(text: string): string | undefined {
  const { verb, values } = entryOf(text) ?? {};
  return verb === 'add' && !values?.has('place-before') ? values?.get('chain') : undefined;
}

/** Returns whether an entry of a firewall matches everything, so that none behind it in its chain is tried. */
export function endsChain(text: string): boolean {
  const { verb, values = new Map<string, string>() } = entryOf(text) ?? {};
  return (
    verb === 'add' &&
    FINAL.has(values.get('action') ?? 'accept') &&
    values.get('disabled') !== 'yes' &&
    [...values.keys()].every((name) => UNRESTRICTING.has(name))
  );
}

/** Returns whether an item keeps values that a new line does not name: it would then differ from that line. */
export function keepsOthers(old: string, wanted: string): boolean {
  const values = entryOf(wanted)?.values;
  return [...(entryOf(old)?.values.keys() ?? [])].some((name) => !values?.has(name));
}

/**
 * Returns the commands that lead from one configuration of menus to another, each a whole line that depends on no other:
 * first removals, then additions. Lines that no command negates become comments.
 */
export function menuDifference(before: ParsedConfig, after: ParsedConfig): Command[] {
  const there = linesByMenu(before);
  const wanted = linesByMenu(after);
  const menus = new Set([...there.keys(), ...wanted.keys()]);
  const all = [...menus].map((menu) => changesOf(menu, there.get(menu) ?? [], wanted.get(menu) ?? []));
  return [...all.flatMap(({ back }) => back), ...all.flatMap(({ forth }) => forth)].map((text) => ({
    text,
    below: [],
  }));
}

function linesByMenu({ lines }: ParsedConfig): Map<string, string[]> {
  const byMenu = new Map<string, string[]>();
  for (const { text, children } of lines) {
    byMenu.set(text, [...(byMenu.get(text) ?? []), ...children.map((child) => child.text)]);
  }
  return byMenu;
}

function changesOf(menu: string, there: readonly string[], wanted: readonly string[]) {
  const old = new Set(there);
  const texts = new Set(wanted);
  const gone = [...old].filter((text) => !texts.has(text));
  const missing = [...texts].filter((text) => !old.has(text));
  const items = new Set(missing.map(itemOf));
  const goneItems = new Map(gone.map((text) => [itemOf(text), text]));
  const added = gone.length > 0 ? addedBy(there) : NONE;
  const isChanged = (text: string) => itemOf(text) !== undefined && items.has(itemOf(text));
  return {
    back: gone
      .filter((text) => !isChanged(text))
      .map((text) => withMenu(menu, takenBack(text, added) ?? `${NOT_NEGATED}${text}`)),
    forth: missing.flatMap((text) => {
      const item = itemOf(text);
      const before = item === undefined ? undefined : goneItems.get(item);
      return changed(before, text).map((command) => withMenu(menu, command));
    }),
  };
}

const withMenu = (menu: string, command: string): string =>
  command.startsWith(NOT_NEGATED)
    ? `${NOT_NEGATED}${menu} ${command.slice(NOT_NEGATED.length)}`
    : `${menu} ${command}`;

/** Returns a key for the item that a line sets; undefined for a line that sets nothing. */
const itemOf = (text: string): string | undefined => {
  const entry = entryOf(text);
  return entry?.verb === 'set' ? `set ${entry.item}` : undefined;
};

/** Returns commands that set only the values that differ; a removed value is set to its default. */
function changed(old: string | undefined, wanted: string): string[] {
  const from = old === undefined ? undefined : entryOf(old);
  const to = entryOf(wanted);
  if (!from || !to) return [wanted];
  const values = [...to.values].filter(([name, value]) => from.values.get(name) !== value);
  const left = [...from.values].filter(([name]) => !to.values.has(name));
  for (const [name, value] of left) {
    const other = OTHER.get(value);
    if (other !== undefined) values.push([name, other]);
  }
  const kept = left.filter(([, value]) => !OTHER.has(value));
  return [
    ...(values.length > 0 ? [setting(to.item, values)] : []),
    ...(kept.length > 0 ? [`${NOT_NEGATED}${setting(to.item, kept)}`] : []),
  ];
}
