import type { ConfigLine } from '../../parsing/config-line.ts';
import { opensBlock } from '../apply-changes.ts';
import { entryKey, type Placing } from '../placing.ts';
import type { CompiledPlatform } from './compiled-platform.ts';
import { endsChain, firewallChain, isFirewall, keepsOthers, menuRemovalObstacle, sameItem } from './menus.ts';

/** Returns whether a device accepts whole paths, each on its own. */
export const takesPaths = ({ rules: { form } }: CompiledPlatform): boolean =>
  form === 'paths' || form === 'modelDriven';

/** Returns why no command removes a line; null when one does. */
export function removalObstacle(line: ConfigLine, { rules }: CompiledPlatform): string | null {
  if (rules.form === 'menus') return menuRemovalObstacle(line);
  return rules.removes ? null : 'the command that removes the line is unknown';
}

type AddedPlace = { parents: readonly string[]; children: readonly ConfigLine[]; placing: Placing };

const LIST = /^access-list \S+ /;
const MATCHES_ALL =
  /^(?:access-list \S+ (?:line \d+ )?(?:standard |extended )?|(?:rule |seq )?(?:\d+ )?)(?:permit|deny)(?: ip(?:v4|v6)?)?(?: any[46]?){0,3}(?: log(?:ging)?(?: .*)?)?$/;

/** The lists in which an entry matches everything, by the lines that hold them; `''` is the list that these lines are. */
const ENDED = new WeakMap<readonly ConfigLine[], ReadonlySet<string | undefined>>();

/** Returns whether a device would append an entry of a list behind one that matches everything. */
function isBehindAll(
  text: string,
  { parents, children, placing }: AddedPlace,
  { rules: { form, commits } }: CompiledPlatform,
): boolean {
  const [listOf, matchesAll] =
    form === 'menus'
      ? [firewallChain, endsChain]
      : [(line: string) => LIST.exec(line)?.[0] ?? '', (line: string) => MATCHES_ALL.test(line)];
  const list = listOf(text);
  const isAppended =
    form === 'menus'
      ? list !== undefined && isFirewall(parents.at(-1) ?? '')
      : !commits &&
        placing !== 'anywhere' &&
        (list !== '' || (placing === 'last' && entryKey(text) === null));
  if (!isAppended) return false;
  const ended =
    ENDED.get(children) ??
    new Set(children.filter((line) => matchesAll(line.text)).map((line) => listOf(line.text)));
  ENDED.set(children, ended);
  return ended.has(list);
}

/**
 * Returns why no command adds the line of a rule; null when one does.
 *
 * @param text null when the rule is a pattern
 */
export function additionObstacle(
  text: string | null,
  { parents, children, placing }: AddedPlace,
  platform: CompiledPlatform,
): string | null {
  if (text === null) return 'required line is a pattern';
  if (platform.rules.form === 'none') return 'the commands of this type of device are unknown';
  if (isBehindAll(text, { parents, children, placing }, platform))
    return 'an entry of the list matches everything, and behind it the line has no effect: it must be added before that entry';
  const isBlock = text.includes('\n') || opensBlock(parents.at(-1) ?? '', platform.dialect);
  if (takesPaths(platform) && isBlock) return 'the line is a text of several lines';
  const item = platform.rules.form === 'menus' ? sameItem(text, children) : null;
  return item !== null && keepsOthers(item, text) ? 'the device stores other values for the line' : null;
}
