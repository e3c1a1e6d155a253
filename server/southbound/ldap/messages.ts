/** Receives an element: its tag and where its content begins and ends. @returns whether it is as it must be */
type Accept = (tag: number, from: number, to: number, index: number) => boolean;

/** The tags of BER and LDAP that answers consist of (RFC 4511, appendix B). */
const SEQUENCE = 0x30;
const SET = 0x31;
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const OCTETS = 0x04;
const ENUMERATED = 0x0a;
const CONTROLS = 0xa0;
const SEARCH_ENTRY = 0x64;
const SEARCH_REFERENCE = 0x73;
/** The tags of all other answers begin with a result. */
const RESULTS = new Set([0x61, 0x65, 0x67, 0x69, 0x6b, 0x6d, 0x6f, 0x78]);

/**
 * Returns how many bytes the first message has, with its header.
 *
 * @param bytes as they arrive; they may hold a part of a message, or several
 * @returns null while its header is incomplete
 * @throws RangeError for a header that no message has
 */
export function lengthOf(bytes: Buffer): number | null {
  const header = headerAt(bytes, 0, bytes.length);
  return header?.to ?? null;
}

/** Reads tag and length at an offset. @returns null when they are incomplete */
function headerAt(bytes: Buffer, at: number, end: number): { tag: number; from: number; to: number } | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (at + 2 > end || tag === undefined || first === undefined) return null;
  if (first < 0x80) return { tag, from: at + 2, to: at + 2 + first };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new RangeError('a length has no bytes, or more than four');
  if (at + 2 + count > end) return null;
  const from = at + 2 + count;
  return { tag, from, to: from + bytes.readUIntBE(at + 2, count) };
}

/** Returns whether elements fill a part of a message exactly, each of them accepted. */
function fills(bytes: Buffer, from: number, end: number, accept: Accept): boolean {
  let at = from;
  for (let index = 0; at < end; index += 1) {
    const element = headerAt(bytes, at, end);
    if (!element || element.to > end || !accept(element.tag, element.from, element.to, index)) return false;
    at = element.to;
  }
  return true;
}

/**
 * Returns whether an answer has the form that RFC 4511 gives it. The library reads one that has not for ever: it does not
 * move on at an element that is longer than what surrounds it.
 *
 * @param bytes one message
 */
export function isAnswer(bytes: Buffer): boolean {
  try {
    return fills(bytes, 0, bytes.length, (tag, from, to, index) => {
      return tag === SEQUENCE && index === 0 && fills(bytes, from, to, isPartOf(bytes));
    });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The parts of a message: its number, the operation, and controls. */
const isPartOf =
  (bytes: Buffer): Accept =>
  (tag, from, to, index) => {
    if (index === 0) return tag === INTEGER && isNumber(from, to);
    if (index === 1) return isOperation(bytes, tag, from, to);
    return index === 2 && tag === CONTROLS && fills(bytes, from, to, isControl(bytes));
  };

const isNumber = (from: number, to: number) => to > from && to - from <= 4;

function isOperation(bytes: Buffer, tag: number, from: number, to: number): boolean {
  if (tag === SEARCH_REFERENCE) return fills(bytes, from, to, (one) => one === OCTETS);
  if (tag === SEARCH_ENTRY) return fills(bytes, from, to, isPartOfEntry(bytes));
  // The library reads nothing of other operations.
  return !RESULTS.has(tag) || fills(bytes, from, to, isPartOfResult);
}

const isPartOfResult: Accept = (tag, from, to, index) => {
  if (index === 0) return tag === ENUMERATED && isNumber(from, to);
  return index > 2 || tag === OCTETS;
};

/** The name of an entry and its attributes. */
const isPartOfEntry =
  (bytes: Buffer): Accept =>
  (tag, from, to, index) => {
    if (index === 0) return tag === OCTETS;
    return index === 1 && tag === SEQUENCE && fills(bytes, from, to, isAttribute(bytes));
  };

/** A name with a set of values. */
const isAttribute =
  (bytes: Buffer): Accept =>
  (outer, start, end) =>
    outer === SEQUENCE &&
    fills(bytes, start, end, (tag, from, to, index) => {
      if (index === 0) return tag === OCTETS;
      return index === 1 && tag === SET && fills(bytes, from, to, (one) => one === OCTETS);
    });

/** An oid, whether the control is critical, and its value. */
const isControl =
  (bytes: Buffer): Accept =>
  (outer, start, end) =>
    outer === SEQUENCE &&
    fills(bytes, start, end, (tag, from, to, index) => {
      if (index === 0) return tag === OCTETS;
      return tag === OCTETS || (tag === BOOLEAN && isNumber(from, to));
    });
