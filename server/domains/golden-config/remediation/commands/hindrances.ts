import type { ConfigLine } from '../../parsing/config-line.ts';
import { opensBlock } from '../apply-changes.ts';
import type { CompiledPlatform } from './compiled-platform.ts';
import { keepsOthers, menuRemovalObstacle, sameItem } from './menus.ts';

/** Returns whether a device accepts whole paths, each on its own. */
export const takesPaths = ({ rules: { form } }: CompiledPlatform): boolean =>
  form === 'paths' || form === 'modelDriven';

/** Returns why no command removes a line; null when one does. */
export function removalObstacle(line: ConfigLine, { rules }: CompiledPlatform): string | null {
  if (rules.form === 'menus') return menuRemovalObstacle(line);
  return rules.removes ? null : 'the command that removes the line is unknown';
}

/**
 * Returns why no command adds the line of a rule; null when one does.
 *
 * @param text null when the rule is a pattern
 */
export function additionObstacle(
  text: string | null,
  { parents, children }: { parents: readonly string[]; children: readonly ConfigLine[] },
  platform: CompiledPlatform,
): string | null {
  if (text === null) return 'required line is a pattern';
  if (platform.rules.form === 'none') return 'the commands of this type of device are unknown';
  const isBlock = text.includes('\n') || opensBlock(parents.at(-1) ?? '', platform.dialect);
  if (takesPaths(platform) && isBlock) return 'the line is a text of several lines';
  const item = platform.rules.form === 'menus' ? sameItem(text, children) : null;
  return item !== null && keepsOthers(item, text) ? 'the device stores other values for the line' : null;
}
