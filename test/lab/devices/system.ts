import type { Layout } from './configuration-tree.ts';
import type { ModeGrammar } from './modes.ts';
import type { PathGrammar } from './paths.ts';
import type { Script } from './script.ts';

/** How a session comes to change the configuration, where that is a mode of its own. */
export type ConfigurationMode = {
  enter: RegExp;
  /** What the device says on entering. */
  greeting?: string;
  /** Only one session at a time is in the mode. */
  exclusive?: boolean;
  /** Makes the candidate the running configuration; absent: each line takes effect at once. */
  commit?: { command: string; says: string; leaves?: boolean };
  /** Gives the candidate up. */
  discard?: { command: string; says?: string; leaves?: boolean };
  /** Tries the candidate; what it says, or the changes where nothing is named. */
  check?: { command: string; says?: string };
  leave: RegExp;
};

/** An operating system of the demo, as data. */
export type OperatingSystem = {
  device_type: string;
  layout: Layout;
  grammar: ModeGrammar | PathGrammar | { kind: 'tables' } | { kind: 'menus' };
  /** Absent: configuration commands are accepted anywhere. */
  mode?: ConfigurationMode;
  /** The parts of the script that hold the name of the device. */
  script: (host: string) => Partial<Script>;
  /** Prompt while the configuration is changed, and the line above it. */
  prompt: (host: string, sections: readonly string[]) => string;
  above?: (sections: readonly string[]) => string;
  /** Prints the whole running configuration. */
  show: RegExp;
  /** Lines before it, and behind it. */
  before?: readonly string[];
  after?: readonly string[];
  /** Prints it as paths. */
  showPaths?: RegExp;
  showVersion: RegExp;
  version: (host: string) => readonly string[];
  showNtp: RegExp;
  showInterfaces: RegExp;
  /** Where the interfaces stand: words of the lines above them, and what begins the line of one. */
  interfaces: { at: readonly string[]; begin: RegExp };
};
