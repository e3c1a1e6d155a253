import type { DriverData } from './driver-data.ts';
import type { Dialect } from './grammar.ts';
import type { PlatformRules } from './platform-rules.ts';

/**
 * A device type: the name that netmiko has for it, and how the service talks to it. Its `ostype` follows from the record, and
 * the description of the first one is the title of the record.
 */
export type DeviceTypeRecord = Omit<DriverData, 'ostype'> & {
  /** Names that NAPALM, netutils, netmiko and Ansible have for it, dashes and dots as underscores. */
  aliases?: readonly string[];
};

/** How configurations are written: what differs from other platforms of the same structure (`DEFAULTS` of the parser). */
export type TextRecord = Pick<Dialect, 'structure' | 'lexRules'> & Partial<Omit<Dialect, 'name' | 'aliases'>>;

/** Everything that the product knows of a network platform. The record of a platform is the file of its name. */
export type PlatformRecord = {
  /** vendor-system: the name of its config parser, and `ostype` of its devices. */
  name: string;
  title: string;
  /** Names that other products have for its config parser. */
  aliases?: readonly string[];
  /** Finds it in the lower-case names of orchestrators for platforms and their drivers; the longest match counts. */
  orchestratorNames?: RegExp;
  text?: TextRecord;
  /** Name of the platform whose config parser reads its configurations, where `text` is absent. */
  like?: string;
  /** Which commands change a configuration; absent: `no` or its like before a line removes it. */
  commands?: PlatformRules;
  /** The same where the configuration is written between braces, on platforms that have two command lines. */
  bracedCommands?: PlatformRules;
  /** The same where each line is a path from the root. */
  flatCommands?: PlatformRules;
  /** Device types that run it, the usual one first. */
  deviceTypes?: readonly DeviceTypeRecord[];
};
