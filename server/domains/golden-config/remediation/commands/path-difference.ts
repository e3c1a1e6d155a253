import type { ConfigLine, ParsedConfig } from '../../parsing/config-line.ts';
import { toSet } from '../../parsing/to-set.ts';
import { visits } from '../../parsing/visits.ts';
import type { CompiledPlatform } from './compiled-platform.ts';
import type { Command } from './difference.ts';
import { swapped } from './negation.ts';

/**
 * The same for devices that take whole paths: first `delete` for what must go, then `set` for what is missing. A section
 * between braces of which nothing stays goes with one `delete`.
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
    // What holds something that stays is there with that: taking it back would take both.
    if (kept.has(path)) continue;
    // What goes altogether need not be activated before.
    if (setting !== path && (section !== undefined || gone.has(setting))) continue;
    out.add(swapped(section ?? path, platform));
  }
  for (const path of wanted) if (!there.has(path)) out.add(path);
  return [...out].map((text) => ({ text, below: [] }));
}

const DEACTIVATED = /^deactivate /;

/** What a path begins with, the shortest first, and the path itself; quotes are words like others. */
function prefixes(path: string): string[] {
  const out: string[] = [];
  for (let at = path.indexOf(' ', 4); at !== -1; at = path.indexOf(' ', at + 1)) out.push(path.slice(0, at));
  out.push(path);
  return out;
}

/** Sections between braces as `set` paths. */
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
