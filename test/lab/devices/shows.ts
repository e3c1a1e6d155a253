import { type ConfigLine, printLines, printPaths } from './configuration-tree.ts';
import type { OperatingSystem } from './system.ts';

const ADDRESS = /(\d{1,3}(?:\.\d{1,3}){3})\b/;
const DOWN = /(?:^|\n)\s*(?:shutdown|disable|admin-state disable|set status down)(?:\n|$)|disabled=yes/;
const NAMED = /(?:^|\n)\s*(?:description|name|set alias|\S*.*comment=) ?"?([^"\n]*)"?/;

/** Returns what an operational command prints, null for one that is not known. */
export function showOutput(
  system: OperatingSystem,
  host: string,
  running: readonly ConfigLine[],
  command: string,
): string[] | null {
  const [requested = '', ...filters] = command.split(/ \| /);
  if (system.showPaths?.test(command)) return printPaths(running);
  const lines = unfiltered(system, host, running, requested.trim());
  return lines && filters.reduce(filtered, lines);
}

function unfiltered(
  system: OperatingSystem,
  host: string,
  running: readonly ConfigLine[],
  command: string,
): string[] | null {
  const { show, before = [], after = [], layout } = system;
  if (show.test(command)) return [...before, ...printLines(running, layout), ...after];
  if (system.showVersion.test(command)) return [...system.version(host)];
  if (system.showNtp.test(command)) return ntpTable(running);
  if (system.showInterfaces.test(command)) return interfaceTable(system, running);
  return null;
}

/** Servers that the device asks for the time: the first one answers. */
function ntpTable(running: readonly ConfigLine[]): string[] {
  const servers = printPaths(running).flatMap((path) => {
    const found = /ntp/.test(path) && !/source/.test(path) ? ADDRESS.exec(path)?.[1] : undefined;
    return found ? [found] : [];
  });
  if (servers.length === 0) return ['Clock is unsynchronized, no server is configured'];
  return [
    '  address          ref clock       st   when   poll  reach   offset',
    ...servers.map(
      (server, index) =>
        `${index === 0 ? '*~' : '+~'}${server.padEnd(17)}198.51.100.250   2     31     64    377    0.412`,
    ),
  ];
}

function interfaceTable({ interfaces, layout }: OperatingSystem, running: readonly ConfigLine[]): string[] {
  const parent = interfaces.at.reduce<readonly ConfigLine[]>(
    (lines, text) => lines.find((one) => one.text === text)?.children ?? [],
    running,
  );
  const rows = parent.flatMap(({ text, children }) => {
    const name = interfaces.begin.exec(text)?.[1];
    if (name === undefined) return [];
    const body = [text, ...printLines(children, layout)].join('\n');
    const state = DOWN.test(body) ? 'down' : 'up';
    const description = NAMED.exec(body)?.[1] ?? '';
    return [
      `${name.padEnd(28)}${(ADDRESS.exec(body)?.[1] ?? 'unassigned').padEnd(17)}${state.padEnd(8)}${state.padEnd(10)}${description}`.trimEnd(),
    ];
  });
  return ['Interface                   Address          Status  Protocol  Description', ...rows];
}

/** What a filter behind a pipe leaves over. */
function filtered(lines: string[], filter: string): string[] {
  const [, word = '', wanted = ''] = /^(\S+)(?: "?(.*?)"?)?$/.exec(filter.trim()) ?? [];
  const has = (line: string) => line.toLowerCase().includes(wanted.toLowerCase());
  switch (word) {
    case 'include':
    case 'match':
    case 'grep':
      return lines.filter(has);
    case 'exclude':
    case 'except':
      return lines.filter((line) => !has(line));
    case 'begin':
    case 'find':
      return lines.slice(Math.max(0, lines.findIndex(has)));
    case 'section': {
      let inside = false;
      return lines.filter((line) => {
        if (!line.startsWith(' ')) inside = has(line);
        return inside;
      });
    }
    case 'count':
      return [`Count: ${lines.length} lines`];
    default:
      return lines;
  }
}
