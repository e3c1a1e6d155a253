import { dialectOf } from '../parsing/dialect.ts';

/**
 * Whether a device's platform is certainly another one than that of a tree: both are known, and other grammars read them.
 * Configurations in JSON are the same for every platform.
 *
 * @param ostype what the inventory says of the device
 * @param deviceType the tree's
 * @param template the grammar that the tree's parser is built on
 */
export function isOtherPlatform(ostype: string, deviceType: string, template: string): boolean {
  if (ostype === '' || ostype === deviceType) return false;
  const own = dialectOf(ostype)?.name;
  const wanted = dialectOf(template)?.name;
  if (own === undefined || wanted === undefined || own === wanted) return false;
  return own !== 'json' && wanted !== 'json';
}

/** Whether two names stand for one platform: they are the same, or aliases of one grammar. */
export function isSamePlatform(one: string, other: string): boolean {
  if (one === other) return true;
  const grammar = dialectOf(one);
  return grammar !== undefined && grammar === dialectOf(other);
}
