import { isUtf8 } from 'node:buffer';

/**
 * Returns the text of a file as spreadsheets write it: UTF-16 with a byte order mark, UTF-8, or the encoding of their
 * system.
 *
 * @param bytes content of the file
 */
export function spreadsheetText(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === 'feff') return new TextDecoder('utf-16be').decode(bytes);
  // Every byte is a character of Windows-1252.
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
}
