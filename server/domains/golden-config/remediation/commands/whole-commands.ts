import type { ParsedConfig } from '../../parsing/config-line.ts';
import type { CompiledPlatform } from './compiled-platform.ts';
import type { Command } from './difference.ts';
import { menuDifference } from './menus.ts';
import { modelDrivenDifference } from './model-driven-difference.ts';
import { pathDifference } from './path-difference.ts';

/** Returns the commands of devices that accept each on its own; undefined for devices that accept lines below others. */
export function wholeCommands(
  before: ParsedConfig,
  after: ParsedConfig,
  platform: CompiledPlatform,
): Command[] | undefined {
  switch (platform.rules.form) {
    case 'paths':
      return pathDifference(before, after, platform);
    case 'modelDriven':
      return modelDrivenDifference(before, after, platform);
    case 'menus':
      return menuDifference(before, after);
    case 'lines':
    case 'none':
      return undefined;
  }
}
