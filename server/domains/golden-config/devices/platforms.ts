import { dialectOf } from '../parsing/dialect.ts';

/**
 * Returns whether a device's platform certainly differs from a tree's: both are known and have different grammars. JSON
 * configurations are the same for every platform.
 *
 * @param ostype the device's platform in the inventory
 * @param deviceType the tree's platform
 * @param template the grammar that the tree's parser is built on
 */
export function isOtherPlatform(ostype: string, deviceType: string, template: string): boolean {
  if (ostype === '' || ostype === deviceType) return false;
  const own = dialectOf(ostype)?.name;
  const wanted = dialectOf(template)?.name;
  if (own === undefined || wanted === undefined || own === wanted) return false;
  return own !== 'json' && wanted !== 'json';
}

/** Returns whether two names mean the same platform: they are equal, or aliases of one grammar. */
export function isSamePlatform(one: string, other: string): boolean {
  if (one === other) return true;
  const grammar = dialectOf(one);
  return grammar !== undefined && grammar === dialectOf(other);
}
