import type { ParsedConfig } from '../parsing/config-line.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { compiledPlatform } from './commands/compiled-platform.ts';
import { type Command, difference } from './commands/difference.ts';
import { wholeCommands } from './commands/whole-commands.ts';
import { sectionsOf } from './sections.ts';

/**
 * Returns the commands that turn a running configuration into the intended one, in the order in which a device needs
 * them.
 *
 * @returns an empty list when the two are equivalent
 * @throws TooDeep when lines nest deeper than any device's do
 * @see docs/remediation.md for the rules of each dialect
 */
export function remediate(running: ParsedConfig, intended: ParsedConfig, dialect: Dialect): Command[] {
  const platform = compiledPlatform(dialect, running);
  const whole = wholeCommands(running, intended, platform);
  if (whole) return whole;
  const there = sectionsOf(running.lines, platform, { whole: true });
  return difference(there, sectionsOf(intended.lines, platform, { whole: true }), platform);
}
