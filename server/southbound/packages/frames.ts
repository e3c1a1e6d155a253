import type { Socket } from 'node:net';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';

/** Largest frame in bytes: a result has at most 8 MiB, and its frame says a little more. */
const LARGEST = 8 * 1024 * 1024 + 64 * 1024;

/** Most frames and bytes of one process in a second; none that works sends a tenth of that. */
const FRAMES_PER_SECOND = 20_000;
const BYTES_PER_SECOND = 256 * 1024 * 1024;

/** A message of a package's process. Nothing is known of it: the package may have sent it. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * Reads frames: a length (4 bytes, big endian) and the JSON of an object.
 *
 * @param onMessage called for each object, in order
 * @param onFault called once, with the reason, for what is no such frame and for too many of them
 */
export function readFrames(
  socket: Socket,
  onMessage: (message: Message) => void,
  onFault: (reason: string) => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  let second = 0;
  let frames = 0;
  let bytes = 0;
  let failed = false;
  const fail = (reason: string) => {
    if (failed) return;
    failed = true;
    parts = [];
    socket.destroy();
    onFault(reason);
  };
  const count = (length: number) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      frames = 0;
      bytes = 0;
    }
    bytes += length;
    if (frames > FRAMES_PER_SECOND || bytes > BYTES_PER_SECOND) fail('it floods its channel');
  };
  /** Takes the first frame from what was received; undefined while it is not whole. */
  const takeFrame = (): Buffer | undefined => {
    if (size < 4 || failed) return undefined;
    // Only the first part is looked at until a frame is whole, so that a large frame is copied once.
    if ((parts[0]?.length ?? 0) < 4) parts = [Buffer.concat(parts)];
    const end = 4 + (parts[0]?.readUInt32BE(0) ?? 0);
    if (end > LARGEST) fail('it sent a message that is too large');
    if (size < end || failed) return undefined;
    const whole = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = size > end ? [whole.subarray(end)] : [];
    size -= end;
    frames += 1;
    return whole.subarray(0, end);
  };
  socket.on('data', (part: Buffer) => {
    if (failed) return;
    count(part.length);
    parts.push(part);
    size += part.length;
    for (let frame = takeFrame(); frame; frame = takeFrame()) {
      const message = jsonOr(frame.toString('utf8', 4), null);
      if (!isObject(message)) return fail('it sent something that is no message');
      onMessage(message);
    }
  });
}

/** Returns a message as a frame. @throws TypeError for a value that JSON cannot have */
export function frameOf(message: object): Buffer {
  const text = JSON.stringify(message);
  const frame = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
  frame.writeUInt32BE(frame.length - 4, 0);
  frame.write(text, 4, 'utf8');
  return frame;
}
