import { randomBytes, randomInt } from 'node:crypto';

const PROCESS = randomBytes(5).toString('hex');
let counter = randomInt(0x800000);

/**
 * Returns a new id of 24 hexadecimal characters: seconds, this process, a counter. Later ids sort later, so a list in its
 * default order grows at its end and pages do not shift under a reader (contract/resources#2; contract/decisions#5).
 *
 * @param now milliseconds since 1970, for tests
 */
export function newId(now = Date.now()): string {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(now / 1000) % 0x100000000;
  return seconds.toString(16).padStart(8, '0') + PROCESS + counter.toString(16).padStart(6, '0');
}
