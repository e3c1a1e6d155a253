import { readFileSync } from 'node:fs';
import {
  type ConfigLine,
  copyLines,
  parseBraces,
  parseIndented,
  printLines,
  printPaths,
} from './configuration-tree.ts';
import { enterModeLine, type Place } from './modes.ts';
import { deletePath, namesValue, setPath, wordsOf } from './paths.ts';
import type { Script } from './script.ts';
import { SCRIPTS } from './scripts.ts';
import { showOutput } from './shows.ts';
import type { OperatingSystem } from './system.ts';
import { SYSTEMS } from './systems.ts';
import { enterMenuLine, enterTableLine, type TablePlace } from './tables.ts';

/** What a device says to a command: its lines, or that it rejects it. */
export type Reply = { lines: string[]; rejected?: boolean };

/** A command line session with a device that has a configuration. */
export type Session = {
  /** Prompt while the configuration is changed, else null; and the line above it. */
  prompt: () => string | null;
  above: () => string | undefined;
  /** Runs a command; null for one that it does not handle. */
  run: (command: string) => Reply | null;
  close: () => void;
};

const SAYS_NOTHING: Reply = { lines: [] };
const REJECTED: Reply = { lines: [], rejected: true };

/** A simulated device with a running configuration of its own. */
export type ConfiguredDevice = {
  script: Script;
  /** The running configuration, as the device prints it. */
  running: () => string[];
  openSession: () => Session;
};

/**
 * Returns a device of a kind with the running configuration of the demo.
 *
 * @param deviceType one of SYSTEMS
 * @param host its name
 * @throws Error for a kind of device that the demo has no configuration of
 */
export function configuredDevice(deviceType: string, host: string): ConfiguredDevice {
  const system = SYSTEMS.find(({ device_type }) => device_type === deviceType);
  const script = SCRIPTS.find(({ device_type }) => device_type === deviceType);
  if (!system || !script) throw new Error(`no configuration of a ${deviceType} device`);
  const file = new URL(`./configurations/${deviceType}.cfg`, import.meta.url);
  const text = readFileSync(file, 'utf8').replaceAll('@host@', host);
  const { layout, grammar } = system;
  // What stands below a menu is not indented there.
  const nested = grammar.kind === 'menus' ? text.replaceAll(/^(?!\/)/gm, ' ') : text;
  const state: State = {
    running: layout.braces === undefined ? parseIndented(nested, layout) : parseBraces(text),
    holder: null,
  };
  return {
    script: { ...script, ...system.script(host) },
    running: () => printLines(state.running, layout),
    openSession: () => openSession(system, host, state),
  };
}

type State = { running: ConfigLine[]; holder: object | null };

function openSession(system: OperatingSystem, host: string, state: State): Session {
  const { mode, grammar } = system;
  const self = {};
  let isConfiguring = mode === undefined;
  let draft = state.running;
  const place: Place = [];
  const tables: TablePlace = [];
  const path: ConfigLine[] = [];

  const sections = () =>
    grammar.kind === 'modes'
      ? place.map(({ prompt }) => prompt)
      : (grammar.kind === 'paths' ? path : tables).map(({ text }) => text);
  const begin = () => {
    draft = mode?.commit ? copyLines(state.running) : state.running;
    place.length = 0;
    path.length = 0;
  };
  const leave = () => {
    isConfiguring = false;
    place.length = 0;
    path.length = 0;
    if (state.holder === self) state.holder = null;
    return SAYS_NOTHING;
  };
  const changes = () => {
    const [before, after] = [printPaths(state.running, ''), printPaths(draft, '')];
    return [
      ...before.filter((line) => !after.includes(line)).map((line) => `-${line}`),
      ...after.filter((line) => !before.includes(line)).map((line) => `+${line}`),
    ];
  };

  /** Runs a command that changes the configuration where the mode has commands of its own for that. */
  const configure = (command: string): Reply => {
    const { commit, discard, check } = mode ?? {};
    if (commit?.command === command) {
      state.running = copyLines(draft);
      if (commit.leaves) leave();
      return { lines: commit.says ? [commit.says] : [] };
    }
    if (discard?.command === command) {
      begin();
      if (discard.leaves) leave();
      return { lines: discard.says ? [discard.says] : [] };
    }
    if (check?.command === command) return { lines: check.says ? [check.says] : changes() };
    if (mode?.leave.test(command)) return leave();
    return enter(command) ?? REJECTED;
  };

  const enter = (line: string): Reply | null => {
    switch (grammar.kind) {
      case 'modes':
        if (grammar.exit.test(line)) return place.pop() ? SAYS_NOTHING : leave();
        return enterModeLine(grammar, draft, place, line) ? SAYS_NOTHING : null;
      case 'paths':
        return enterPath(line);
      case 'tables':
        return enterTableLine(draft, tables, line) ? SAYS_NOTHING : null;
      case 'menus':
        return enterMenuLine(draft, tables, line) ? SAYS_NOTHING : null;
    }
  };

  const enterPath = (line: string): Reply | null => {
    if (grammar.kind !== 'paths') return null;
    const isAbsolute = grammar.contexts === true && /^(?:delete )?\//.test(line);
    const words = wordsOf(isAbsolute ? line.replace('/', '') : line);
    const [verb = '', ...rest] = words;
    const root: ConfigLine = (isAbsolute ? undefined : path.at(-1)) ?? { text: '', children: draft };
    if (line === 'show | compare' || line === 'compare') return { lines: changes() };
    if (verb === 'delete' && rest.length > 0) {
      // The value of a setting is no part of its path.
      if (grammar.contexts && namesValue(root, rest)) return null;
      const isFound = deletePath(root, rest);
      if (isAbsolute || path.length === 0) draft = root.children;
      return isFound ? SAYS_NOTHING : { lines: ['warning: statement not found'] };
    }
    if (grammar.contexts) {
      // The negation of the classic command line is not one of this one.
      if (verb === 'no') return null;
      if (line === 'exit all') path.length = 0;
      if (line === 'exit all') return SAYS_NOTHING;
      if (/^(?:exit|back)$/.test(line)) return path.pop() ? SAYS_NOTHING : leave();
      const end = setPath(grammar, root, words);
      if (end) path.splice(isAbsolute ? 0 : path.length, path.length, end);
      return SAYS_NOTHING;
    }
    if (verb !== 'set' || rest.length === 0) return null;
    setPath(grammar, root, rest);
    return SAYS_NOTHING;
  };

  return {
    prompt: () => (isConfiguring && (mode || sections().length > 0) ? system.prompt(host, sections()) : null),
    above: () => (isConfiguring ? system.above?.(sections()) : undefined),
    run(command) {
      if (isConfiguring && mode) return configure(command);
      const lines = showOutput(system, host, state.running, command);
      if (lines) return { lines };
      if (!mode) return enter(command);
      if (!mode.enter.test(command)) return null;
      if (mode.exclusive && state.holder && state.holder !== self) return REJECTED;
      if (mode.exclusive) state.holder = self;
      isConfiguring = true;
      begin();
      return { lines: mode.greeting ? [mode.greeting] : [] };
    },
    close: () => void leave(),
  };
}
