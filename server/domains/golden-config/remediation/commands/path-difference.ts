import type { ConfigLine, ParsedConfig } from '../../parsing/config-line.ts';
import { toSet } from '../../parsing/to-set.ts';
import { visits } from '../../parsing/visits.ts';
import type { CompiledPlatform } from './compiled-platform.ts';
import type { Command } from './difference.ts';
import { swapped } from './negation.ts';

/**
 * Returns the commands for devices that accept whole paths: first `delete` for what must go, then `set` for what is
 * missing. A braced section of which nothing stays is removed by one `delete`.
 */
export function pathDifference(
  before: ParsedConfig,
  after: ParsedConfig,
  platform: CompiledPlatform,
): Command[] {
  const there = new Set(toSet(before));
  const wanted = new Set(toSet(after));
  const gone = new Set([...there].filter((path) => !wanted.has(path)));
  const kept = new Set(gone.size > 0 ? [...wanted].flatMap(prefixes) : []);
  const sections = new Set(gone.size > 0 ? sectionPaths(before).filter((path) => !kept.has(path)) : []);
  const out = new Set<string>();
  for (const path of gone) {
    const setting = path.replace(DEACTIVATED, 'set ');
    const section = prefixes(setting).find((prefix) => sections.has(prefix));
    // A path that is a prefix of one that stays exists with it: its negation would remove both.
    if (kept.has(path)) continue;
    // An item that is removed altogether need not be activated first.
    if (setting !== path && (section !== undefined || gone.has(setting))) continue;
    out.add(swapped(section ?? path, platform));
  }
  for (const path of wanted) if (!there.has(path)) out.add(path);
  return [...out].map((text) => ({ text, below: [] }));
}

const DEACTIVATED = /^deactivate /;

/** Returns the prefixes of a path, shortest first, and the path itself; spaces within quotes separate words too. */
function prefixes(path: string): string[] {
  const out: string[] = [];
  for (let at = path.indexOf(' ', 4); at !== -1; at = path.indexOf(' ', at + 1)) out.push(path.slice(0, at));
  out.push(path);
  return out;
}

/** Returns the braced sections as `set` paths. */
function sectionPaths({ lines }: ParsedConfig): string[] {
  const paths: string[] = [];
  const above: string[] = ['set'];
  for (const { line, leaving } of visits(lines)) {
    if (!isSection(line)) continue;
    if (leaving) {
      above.pop();
      continue;
    }
    above.push(line.text.replace(/^inactive: /, ''));
    paths.push(above.join(' '));
  }
  return paths;
}

const isSection = ({ children, end }: ConfigLine): boolean => children.length > 0 || end !== undefined;
