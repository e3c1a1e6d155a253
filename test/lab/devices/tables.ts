import { type ConfigLine, insertLine } from './configuration-tree.ts';

/** Where a session is: the tables and entries that it entered, from the outermost on. */
export type TablePlace = ConfigLine[];

const found = (lines: ConfigLine[], text: string): ConfigLine => {
  const known = lines.find((one) => one.text === text);
  if (known) return known;
  const node = { text, children: [] };
  insertLine(lines, node);
  return node;
};

/**
 * Enters a line as FortiOS does: `config` and `edit` open, `set`, `unset` and `delete` change, `next` and `end` leave.
 *
 * @returns false for a line that is rejected there
 */
export function enterTableLine(root: ConfigLine[], place: TablePlace, line: string): boolean {
  const [word = '', name = ''] = line.split(' ');
  const at = place.at(-1);
  const lines = at?.children ?? root;
  const drop = (gone: (text: string) => boolean) =>
    lines.splice(0, lines.length, ...lines.filter(({ text }) => !gone(text)));
  if (word === 'config' && name) place.push(found(lines, line));
  else if (!at) return false;
  else if (word === 'edit' && name && at.text.startsWith('config ')) place.push(found(lines, line));
  else if (word === 'next' && at.text.startsWith('edit ')) place.pop();
  else if (word === 'end') {
    if (at.text.startsWith('edit ')) place.pop();
    place.pop();
  } else if (word === 'abort') place.length = 0;
  else if (word === 'delete' && name) drop((text) => text === `edit ${line.slice(7)}`);
  else if (word === 'unset' && name) drop((text) => text.startsWith(`set ${name} `));
  else if (word === 'set' && /^set \S+ \S/.test(line)) {
    const known = lines.find(({ text }) => text.startsWith(`set ${name} `));
    if (known) known.text = line;
    else insertLine(lines, { text: line, children: [] });
  } else return false;
  return true;
}

const PARAMETERS = /[\w-]+=(?:"[^"]*"|\S+)/g;

/**
 * Enters a line as RouterOS does: a path alone leads there, `add`, `set` and `remove` change what is there.
 *
 * @returns false for a line that is rejected there
 */
export function enterMenuLine(root: ConfigLine[], place: TablePlace, line: string): boolean {
  const [, path = '', action = ''] = /^(\/[a-z0-9 /-]*?)? ?((?:add|set|remove) .*)?$/.exec(line) ?? [];
  if (path === '' && action === '') return false;
  const menu = path === '' ? place.at(-1) : found(root, path);
  if (!menu) return false;
  if (action === '') {
    place.splice(0, place.length, ...(path === '/' ? [] : [menu]));
    return true;
  }
  const [word = ''] = action.split(' ');
  const given = action.match(PARAMETERS) ?? [];
  if (word === 'add') menu.children.push({ text: action, children: [] });
  else if (word === 'remove') {
    const kept = menu.children.filter(({ text }) => !given.every((one) => ` ${text} `.includes(` ${one} `)));
    menu.children.splice(0, menu.children.length, ...kept);
  } else {
    // What is set is named before the parameters: an item, or nothing in a menu of settings.
    const item = /^set (?:\[[^\]]*\] |[\w-]+ (?=[\w-]+=))?/.exec(action)?.[0] ?? 'set ';
    const known = menu.children.find(({ text }) => text.startsWith(item));
    const merged = new Map(
      [
        ...(known?.text.slice(item.length).match(PARAMETERS) ?? []),
        ...(action.slice(item.length).match(PARAMETERS) ?? []),
      ].map((one) => [one.split('=')[0], one]),
    );
    const text = `${item}${[...merged.values()].join(' ')}`;
    if (known) known.text = text;
    else menu.children.push({ text, children: [] });
  }
  return true;
}
