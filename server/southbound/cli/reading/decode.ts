import { isUtf8 } from 'node:buffer';

/** Decodes a stream of bytes piece by piece; a character may be split between two pieces. */
export type Decoder = (bytes: Buffer) => string;

/** Returns the length in bytes of the character that begins with this byte; 0: not a lead byte. */
const lengthFrom = (lead: number) =>
  lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;

/** The characters that Windows-1252 has from 0x80 in place of controls; in Node.js 20 its decoder reads Latin-1. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const singleByte = (byte: number) => FROM_0X80[byte - 0x80] ?? String.fromCharCode(byte);

/**
 * Returns a decoder for UTF-8. Each invalid byte is read as Windows-1252, so that the text depends only on the bytes, not
 * on how they were split into pieces.
 */
export function openDecoder(): Decoder {
  let kept: Buffer | null = null;
  return (piece) => {
    const bytes = kept ? Buffer.concat([kept, piece]) : piece;
    const end = wholeUpTo(bytes);
    kept = end < bytes.length ? Buffer.from(bytes.subarray(end)) : null;
    const whole = bytes.subarray(0, end);
    return isUtf8(whole) ? whole.toString('utf8') : mixed(whole);
  };
}

/** Returns the index of an incomplete character at the end, or the length if there is none. */
function wholeUpTo(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) break;
    if (lead < 0xc0) continue;
    return lengthFrom(lead) > back ? at : bytes.length;
  }
  return bytes.length;
}

function mixed(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = lengthFrom(bytes[at] ?? 0);
    const character = bytes.subarray(at, at + length);
    if (length > 0 && character.length === length && isUtf8(character)) {
      text += character.toString('utf8');
      at += length;
    } else {
      text += singleByte(bytes[at] ?? 0);
      at += 1;
    }
  }
  return text;
}
