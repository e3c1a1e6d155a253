import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

/**
 * Version of the backup file format: one gzip stream of frames, each a letter, the length of its content, and the content.
 * First a header, then each table (its name and columns, its rows as PostgreSQL's COPY writes them, their number and
 * hash), then an end frame with the totals of all tables; a file without an end frame is incomplete.
 */
export const FORMAT = 1;

const Table = z.object({ table: z.string(), columns: z.array(z.string()) });
const TableEnd = z.object({ rows: z.number(), bytes: z.number(), sha256: z.string() });

const Header = z.looseObject({
  format: z.number(),
  product: z.literal('switchyard'),
  release: z.string(),
  created: z.string(),
  /** The newest migration that was applied to the database. */
  level: z.number(),
  /** The newest migration of the engine for durable work; null when it never started. */
  engineLevel: z.number().nullable(),
  /** Identifies the key that sealed the secrets, without revealing any of it. */
  keyFingerprint: z.string().nullable(),
  /** Partitions of the tables that are partitioned by month. */
  partitions: z.array(z.object({ table: z.string(), partition: z.string(), bound: z.string() })),
});
/** The description of a backup, readable before its rows. */
export type Header = z.infer<typeof Header>;

const End = z.object({
  tables: z.array(Table.omit({ columns: true }).extend(TableEnd.shape)),
  sequences: z.array(z.object({ sequence: z.string(), value: z.string(), called: z.boolean() })),
});
/** The totals of a backup's tables. */
export type End = z.infer<typeof End>;
export type TableSum = End['tables'][number];

/** Thrown when a file cannot be written or restored; the message is for the operator. */
export class BackupError extends Error {}

const DAMAGED = 'The backup is damaged or incomplete; nothing was restored';

/** Sums up a table's rows as they pass by. COPY ends each row with a line feed, and escapes all others. */
export class Sum {
  rows = 0;
  bytes = 0;
  readonly #hash = createHash('sha256');

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.rows += 1;
  }

  done(): z.infer<typeof TableEnd> {
    return { rows: this.rows, bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

type Letter = 'H' | 'T' | 'D' | 'E' | 'Z';
export type Frame = { letter: Letter; content: Buffer };

const frameOf = (letter: Letter, content: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(letter, 'latin1');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
};

const json = (letter: Letter, value: unknown) => frameOf(letter, Buffer.from(JSON.stringify(value)));

/** Builds the frames of a backup. */
export const frames = {
  header: (header: Header) => json('H', header),
  table: (table: z.infer<typeof Table>) => json('T', table),
  rows: (chunk: Buffer) => frameOf('D', chunk),
  tableEnd: (end: z.infer<typeof TableEnd>) => json('E', end),
  end: (end: End) => json('Z', end),
};

/**
 * Writes frames to a new file, which only its owner may read.
 *
 * @param file path of the file
 * @param made the frames, in order
 * @throws BackupError when the file cannot be written; the errors of `made`
 */
export async function writeFrames(file: string, made: AsyncIterable<Buffer>): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  let failure: Error | undefined;
  target.once('error', (error) => {
    failure = error;
  });
  try {
    await pipeline(Readable.from(made, { objectMode: true }), createGzip({ level: 4 }), target);
  } catch (error) {
    if (error !== failure) throw error;
    // Of a full disk the message of Node names no file.
    throw new BackupError(`${file} could not be written, and nothing of it is left: ${failure?.message}`);
  }
}

/** Maximum frame length: rows are split over several frames. */
const LONGEST_FRAME = 2 ** 30;

/** The letters that may follow each letter; the empty one stands for the beginning of a file. */
const FOLLOWING: Record<Letter | '', string> = { '': 'H', H: 'TZ', T: 'DE', D: 'DE', E: 'TZ', Z: '' };

/**
 * Yields the frames of a file in order: a header, each table with its rows and its end, and the end of the file.
 *
 * @param file path of the file
 * @throws BackupError when it is not a backup of Switchyard, is damaged or is incomplete
 */
export async function* readFrames(file: string): AsyncGenerator<Frame> {
  const source = createReadStream(file);
  const unzip: Transform = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  /** What arrived and was not yielded; joined once a frame is complete, because joining copies all of it. */
  let held: Buffer[] = [];
  let size = 0;
  let needed = HEAD_BYTES;
  let last: Letter | '' = '';
  const damaged = () =>
    new BackupError(last === '' ? `${file} is not a backup of Switchyard, or it is damaged` : DAMAGED);
  try {
    for await (const chunk of source.pipe(unzip)) {
      held.push(chunk);
      size += chunk.length;
      if (size < needed) continue;
      let bytes = Buffer.concat(held);
      for (;;) {
        const frame = firstFrame(bytes, FOLLOWING[last]);
        if (frame === 'invalid') throw damaged();
        if (!frame) break;
        last = frame.letter;
        yield frame;
        bytes = bytes.subarray(HEAD_BYTES + frame.content.length);
      }
      held = [bytes];
      size = bytes.length;
      needed = HEAD_BYTES + (size < HEAD_BYTES ? 0 : bytes.readUInt32BE(1));
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? damaged() : error;
  } finally {
    source.destroy();
  }
  if (size > 0 || last !== 'Z') throw new BackupError(DAMAGED);
}

/** Bytes before the content of a frame: its letter and its length. */
const HEAD_BYTES = 5;

/**
 * Returns the frame at the beginning of some bytes.
 *
 * @param letters those that it may have
 * @returns undefined while the frame is not complete; `invalid` as soon as it can be none
 */
function firstFrame(bytes: Buffer, letters: string): Frame | 'invalid' | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const letter = bytes.toString('latin1', 0, 1) as Letter;
  const end = HEAD_BYTES + bytes.readUInt32BE(1);
  if (!letters.includes(letter) || end > HEAD_BYTES + LONGEST_FRAME) return 'invalid';
  return bytes.length < end ? undefined : { letter, content: bytes.subarray(HEAD_BYTES, end) };
}

const read = <Shape extends z.ZodType>(schema: Shape, { content }: Frame): z.infer<Shape> => {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch {
    throw new BackupError(DAMAGED);
  }
};

/** Parses the content of a frame. @throws BackupError when it is damaged, or its format is newer than `FORMAT` */
export const reading = {
  header: (frame: Frame): Header => {
    const { format } = read(z.looseObject({ format: z.number() }), frame);
    if (format > FORMAT) {
      throw new BackupError(
        `The backup has format ${format}, but this version of Switchyard reads at most format ${FORMAT}: restore it with the version that made it, or a later one`,
      );
    }
    return read(Header, frame);
  },
  table: (frame: Frame) => read(Table, frame),
  tableEnd: (frame: Frame) => read(TableEnd, frame),
  end: (frame: Frame) => read(End, frame),
  damaged: () => new BackupError(DAMAGED),
};

/** Returns what was found in a backup. @throws BackupError when it is not what the backup recorded */
export function asRecorded<Found>(found: Found, recorded: Found): Found {
  if (!isDeepStrictEqual(found, recorded)) throw reading.damaged();
  return found;
}
