import type { ParsedConfig } from '../parsing/config-line.ts';
import { listsValues } from '../parsing/print.ts';
import { swapCommands } from './commands/acl-replacement.ts';
import { type CompiledPlatform, found, type Words } from './commands/compiled-platform.ts';
import { type Command, difference } from './commands/difference.ts';
import { wholeCommands } from './commands/whole-commands.ts';
import { type Section, sectionsOf, wordsOf } from './sections.ts';

/** Commands as a device accepts them, and the lists that cannot be changed without a gap. */
export type RenderedConfig = { text: string; unsafe: string[] };

/**
 * Returns the commands that lead from one configuration of a device to another, line by line, with those that leave
 * sections. Lists whose order matters never change in place.
 *
 * @throws TooDeep
 */
export function renderChange(
  before: ParsedConfig,
  after: ParsedConfig,
  platform: CompiledPlatform,
): RenderedConfig {
  const whole = wholeCommands(before, after, platform);
  if (whole) return { text: printed(whole, platform), unsafe: [] };
  const from = sectionsOf(before.lines, platform, { whole: false });
  const to = sectionsOf(after.lines, platform, { whole: false });
  const unsafe: string[] = [];
  const swaps = to.children.flatMap((list) => {
    const there = from.byText.get(list.text);
    if (!there || !changesInPlace(there, list, platform)) return [];
    const commands = swapCommands(list, to, platform);
    if (!commands) unsafe.push(list.text);
    // The list is done: the rest of the configuration is compared as if the list were already correct.
    there.children = list.children;
    there.byText = list.byText;
    return commands ?? [];
  });
  return { text: printed([...difference(from, to, platform), ...swaps], platform), unsafe };
}

/** Returns whether a list whose order matters changes other than by new entries at its end. */
function changesInPlace(there: Section, wanted: Section, platform: CompiledPlatform): boolean {
  if (!found(platform.sequences, [wordsOf(wanted)])) return false;
  return there.children.some(({ text }, at) => wanted.children[at]?.text !== text);
}

function printed(commands: readonly Command[], platform: CompiledPlatform): string {
  const out: string[] = [];
  print(commands, [], false, platform, out);
  return out.join('\n');
}

function print(
  commands: readonly Command[],
  above: Words,
  whole: boolean,
  platform: CompiledPlatform,
  out: string[],
): void {
  const column = ' '.repeat(above.length * platform.dialect.step);
  const listed = listsValues(above.at(-1)?.[0] ?? '', platform.dialect);
  for (const [at, { text, below }] of commands.entries()) {
    const comma = listed && at < commands.length - 1 ? ',' : '';
    out.push(`${column}${platform.rules.characterDelimits ? characterDelimited(text) : text}${comma}`);
    const words = [...above, (text.split('\n', 1)[0] ?? '').split(' ')];
    const exit = found(platform.exits, words)?.value;
    print(below, words, whole || exit?.whole === true, platform, out);
    const leaves = exit?.text ?? (below.length > 0 && !whole ? usualExit(above.length, platform) : undefined);
    if (leaves !== undefined) out.push(`${column}${leaves}`);
  }
}

/** Returns a banner between two of one character instead of `^C`: one that it does not contain. */
function characterDelimited(text: string): string {
  if (!text.startsWith('banner ') || !text.includes(CARET_C)) return text;
  const character = DELIMITERS.find((one) => !text.includes(one));
  return character === undefined ? text : text.replaceAll(CARET_C, character);
}

const CARET_C = '^C';
const DELIMITERS = ['#', '@', '~', '%', '$', '|'];

function usualExit(depth: number, { rules: { exit } }: CompiledPlatform): string | undefined {
  return exit && (exit.everywhere || depth > 0) ? exit.text : undefined;
}
