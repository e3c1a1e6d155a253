import type { ConfigLine, ParsedConfig } from '../../parsing/config-line.ts';
import { visits } from '../../parsing/visits.ts';
import { type CompiledPlatform, found } from './compiled-platform.ts';
import type { Command } from './difference.ts';

/** A configuration as absolute paths: its sections, and its settings with their values. */
type ConfigPaths = {
  sections: Set<string>;
  /** Values by the path of a setting; several are in brackets. */
  settings: Map<string, { values: Set<string>; isList: boolean }>;
};

/**
 * Returns the commands of a model-driven command line (MD-CLI) that lead from one configuration to another, each an
 * absolute path: `delete /…` for what must go, then `/…` for what is missing. A setting is deleted by its name, since its
 * value is not part of its path, and accepts another value without deletion; a section of which nothing stays goes whole.
 */
export function modelDrivenDifference(
  before: ParsedConfig,
  after: ParsedConfig,
  platform: CompiledPlatform,
): Command[] {
  const there = pathsOf(before, platform);
  const wanted = pathsOf(after, platform);
  const gone = removedPaths(there, wanted);
  const set = addedPaths(there, wanted);
  const outermost = [...gone].filter((path) => !above(path).some((outer) => gone.has(outer)));
  // A path that is a prefix of another is created with it.
  const leading = new Set(set.flatMap(above));
  const needed = set.filter((path) => !leading.has(path));
  return [...outermost.map((path) => `delete ${path}`), ...needed].map((text) => ({ text, below: [] }));
}

/** Returns what must be deleted: sections and settings that are not wanted, and values of lists that are not. */
function removedPaths(there: ConfigPaths, wanted: ConfigPaths): Set<string> {
  const kept = new Set([...wanted.sections, ...wanted.settings.keys()]);
  const sections = [...there.sections].filter((section) => !kept.has(section));
  const settings = [...there.settings].flatMap(([path, { values, isList }]) => {
    if (!kept.has(path)) return [path];
    const staying = wanted.settings.get(path)?.values;
    if (!isList || staying === undefined) return [];
    return [...values].filter((value) => !staying.has(value)).map((value) => `${path} ${value}`);
  });
  return new Set([...sections, ...settings]);
}

/** Returns what must be set: sections that are missing, and settings with every value that is. */
function addedPaths(there: ConfigPaths, wanted: ConfigPaths): string[] {
  const sections = [...wanted.sections].filter((section) => !there.sections.has(section));
  const settings = [...wanted.settings].flatMap(([path, { values, isList }]) => {
    const known = there.settings.get(path)?.values ?? new Set();
    const isChanged = !isList && [...known].some((value) => !values.has(value));
    return [...values]
      .filter((value) => isChanged || !known.has(value))
      .map((value) => (value === '' ? path : `${path} ${value}`));
  });
  return [...sections, ...settings];
}

/** Returns the prefixes of a path, without the path itself; spaces within quotes separate words too. */
function above(path: string): string[] {
  const out: string[] = [];
  for (let at = path.indexOf(' '); at !== -1; at = path.indexOf(' ', at + 1)) out.push(path.slice(0, at));
  return out;
}

function pathsOf({ lines }: ParsedConfig, { ignores }: CompiledPlatform): ConfigPaths {
  const paths: ConfigPaths = { sections: new Set(), settings: new Map() };
  const open: string[] = [];
  const changeable = lines.filter(({ text }) => !found(ignores, [text.split(' ')]));
  for (const { line, leaving } of visits(changeable)) {
    const isSection = line.children.length > 0 || line.end !== undefined;
    if (leaving) {
      if (isSection) open.pop();
    } else if (isSection) {
      open.push(line.text);
      paths.sections.add(`/${open.join(' ')}`);
    } else addSetting(paths, open, line);
  }
  return paths;
}

function addSetting({ settings }: ConfigPaths, open: readonly string[], { text }: ConfigLine): void {
  const [name = '', ...rest] = text.split(' ');
  const value = rest.join(' ');
  const isList = value.startsWith('[') && value.endsWith(']');
  const values = isList ? (value.slice(1, -1).match(/"[^"]*"|\S+/g) ?? []) : [value];
  const path = `/${[...open, name].join(' ')}`;
  const known = settings.get(path);
  settings.set(path, { values: new Set([...(known?.values ?? []), ...values]), isList });
}
