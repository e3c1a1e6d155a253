import { createHash } from 'node:crypto';

/**
 * Returns the id that git computes for a file with this text.
 *
 * @param text the whole file; hashed as UTF-8
 * @returns 40 hexadecimal digits
 */
export const blobId = (text: string): string => {
  const bytes = Buffer.from(text, 'utf8');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
};

/**
 * Returns the hash of a document: of its files' paths and ids.
 *
 * @param files ids of the files by their paths
 */
export function documentHash(ids: ReadonlyMap<string, string>): string {
  const lines = [...ids].map(([path, id]) => `${path}\0${id}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
