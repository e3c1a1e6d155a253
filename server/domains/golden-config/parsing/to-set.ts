import type { ParsedConfig } from './config-line.ts';
import { isPath } from './paths.ts';
import { wordsOf } from './source.ts';
import { visits } from './visits.ts';

/** The prefix of every path in an exported PAN-OS configuration, which its `set` form omits. */
const PANOS_FRAME = ['config', 'devices', 'localhost.localdomain'];

/** Before a statement that is kept but not in force. */
export const INACTIVE = 'inactive: ';

/**
 * Returns the `set` form of a braced configuration: one path per leaf, one path per value of a bracketed list, and a
 * `deactivate` path after each inactive item. Lines that already are whole paths stay unchanged. The frame of a PAN-OS
 * export (`config`, `devices`, the device) is omitted.
 *
 * @param wholeLists keeps a list as one path, as PAN-OS shows it
 */
export function toSet(parsed: ParsedConfig, wholeLists = false): string[] {
  const out: string[] = [];
  const path: string[] = [];
  for (const { line, leaving } of visits(parsed.lines)) {
    const isInactive = line.text.startsWith(INACTIVE);
    const words = isInactive ? line.text.slice(INACTIVE.length) : line.text;
    const isSection = line.children.length > 0 || line.end !== undefined;
    if (isSection && leaving) path.pop();
    else if (isSection) {
      path.push(words);
      if (line.children.length === 0) out.push(pathOf('set', path, ''));
    } else if (!leaving) {
      const statements = wholeLists ? [words] : valuesOf(words);
      out.push(...(isPath(line) ? [words] : statements.map((one) => pathOf('set', path, one))));
    }
    // A section's own path follows all of its leaves; a leaf is complete when it is entered.
    if (isInactive && leaving === isSection) out.push(pathOf('deactivate', path, words));
  }
  return out;
}

function pathOf(verb: string, path: readonly string[], last: string): string {
  let from = 0;
  while (from < PANOS_FRAME.length && path[from] === PANOS_FRAME[from]) from++;
  return [verb, ...path.slice(from), ...(last ? [last] : [])].join(' ');
}

/** Splits a bracketed list into one statement per value. */
function valuesOf(words: string): string[] {
  const open = words.endsWith(' ]') ? words.indexOf(' [ ') : -1;
  if (open === -1) return [words];
  const values = wordsOf(words.slice(open + 3, -2));
  return values.map((value) => `${words.slice(0, open)} ${value}`);
}
