import type { DriverData } from './driver-data.ts';
import type { Dialect } from './grammar.ts';
import type { PlatformRules } from './platform-rules.ts';

/**
 * A device type: its netmiko name, and how the service communicates with it. `ostype` comes from the record; the
 * description of the first device type is the title of the record.
 */
export type DeviceTypeRecord = Omit<DriverData, 'ostype'> & {
  /** Names in NAPALM, netutils, netmiko and Ansible, with dashes and dots as underscores. */
  aliases?: readonly string[];
};

/** The text format of configurations: the differences from the `DEFAULTS` of the parser for the same structure. */
export type TextRecord = Pick<Dialect, 'structure' | 'lexRules'> & Partial<Omit<Dialect, 'name' | 'aliases'>>;

/** All data about a network platform. Each platform's record is in the file with its name. */
export type PlatformRecord = {
  /** vendor-system: the name of its config parser, and `ostype` of its devices. */
  name: string;
  title: string;
  /** Names of its config parser in other products. */
  aliases?: readonly string[];
  /** Matches the platform in lower-case orchestrator names of platforms and their drivers; the longest match wins. */
  orchestratorNames?: RegExp;
  text?: TextRecord;
  /** Name of the platform whose config parser reads its configurations, when `text` is absent. */
  like?: string;
  /** The commands that change a configuration; absent: a line is removed by the negation prefix. */
  commands?: PlatformRules;
  /** The commands that change configurations in braces, on platforms with two command lines. */
  bracedCommands?: PlatformRules;
  /** The commands that change configurations in which each line is a path from the root. */
  flatCommands?: PlatformRules;
  /** Device types of the platform, the most common first. */
  deviceTypes?: readonly DeviceTypeRecord[];
};
