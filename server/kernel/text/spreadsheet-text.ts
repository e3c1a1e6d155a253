import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { ServiceError } from '../errors.ts';

/** Beginnings of files of spreadsheet programs that are no text, in hexadecimal: ZIP archives, and files of older programs. */
const BINARY = ['504b0304', 'd0cf11e0'];
/** How much of a file is looked at for signs of UTF-16, in bytes. */
const SAMPLE = 4096;

/**
 * Returns the text of a file as spreadsheets write it: in the encoding of its byte order mark, in the one that its sender
 * names, in UTF-8 or UTF-16, or else in that of their system.
 *
 * @param bytes content of the file
 * @param charset encoding that the sender names; absent: none
 * @throws ServiceError BAD_REQUEST for a file that is no text, or not in the encoding it is said to have; 415 for an
 *   encoding that is not known
 */
export function spreadsheetText(bytes: Buffer, charset?: string): string {
  if (BINARY.includes(bytes.subarray(0, 4).toString('hex')))
    throw new ServiceError(
      'BAD_REQUEST',
      'The file is a spreadsheet file, such as .xlsx, .xls or .ods, and not CSV: save it as “CSV UTF-8” in the spreadsheet program',
    );
  const decoder = charset === undefined ? undefined : decoderOf(charset);
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === 'feff') return new TextDecoder('utf-16be').decode(bytes);
  if (decoder) return decoded(decoder, bytes);
  const unmarked = unmarkedUtf16(bytes);
  if (unmarked) return new TextDecoder(unmarked).decode(bytes);
  // Every byte is a character of Windows-1252.
  return isUtf8(bytes) ? bytes.toString('utf8') : decoded(new TextDecoder('windows-1252'), bytes);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The charset ${JSON.stringify(charset.slice(0, 80))} of the body is not known: send UTF-8`,
    );
  }
}

function decoded(decoder: TextDecoder, bytes: Buffer): string {
  try {
    // As the first part of a text: Node.js 20 reads a whole text in Windows-1252 as ISO-8859-1, without the euro sign.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    throw new ServiceError(
      'BAD_REQUEST',
      `The body is not valid ${decoder.encoding}, which its charset names: name its encoding, or none`,
    );
  }
}

/** Returns the form of UTF-16 that a text without a byte order mark has: each separator and digit then has a NUL on one side. */
function unmarkedUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, SAMPLE);
  const nuls = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const isLikely = bytes.length % 2 === 0 && even + odd > sample.length / 16;
  if (!isLikely || (even > 0 && odd > 0)) return null;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}
