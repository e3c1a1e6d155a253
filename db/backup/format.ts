import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

/**
 * The file of a backup: one gzip stream of frames, each a letter, the length of its content, and the content. A header,
 * then each table (its name and columns, its rows as PostgreSQL's COPY writes them, how many there were and their hash),
 * then the end, which says what all of it came to: a file without one is not whole.
 */
export const FORMAT = 1;

const Table = z.object({ table: z.string(), columns: z.array(z.string()) });
const TableEnd = z.object({ rows: z.number(), bytes: z.number(), sha256: z.string() });

const Header = z.looseObject({
  format: z.number(),
  product: z.literal('switchyard'),
  release: z.string(),
  created: z.string(),
  /** The newest migration that the database went through. */
  level: z.number(),
  /** The same of the tables of the engine that does durable work; null when it never started. */
  engineLevel: z.number().nullable(),
  /** Tells the key that sealed the secrets, without telling anything of it. */
  keyFingerprint: z.string().nullable(),
  /** Months of tables that are kept by the month. */
  partitions: z.array(z.object({ table: z.string(), partition: z.string(), bound: z.string() })),
});
/** What is known of a backup before its rows are read. */
export type Header = z.infer<typeof Header>;

const End = z.object({
  tables: z.array(Table.omit({ columns: true }).extend(TableEnd.shape)),
  sequences: z.array(z.object({ sequence: z.string(), value: z.string(), called: z.boolean() })),
});
/** What the tables of a backup came to. */
export type End = z.infer<typeof End>;
export type TableSum = End['tables'][number];

/** A file cannot be restored; the message says why, for the operator. */
export class BackupRefused extends Error {}

const DAMAGED = 'The backup is damaged or not whole; nothing was restored';

/** What a table's rows come to, counted while they pass by. COPY ends each row with a line feed, and writes no other. */
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

/** Frames of a backup as they are written. */
export const frames = {
  header: (header: Header) => json('H', header),
  table: (table: z.infer<typeof Table>) => json('T', table),
  rows: (chunk: Buffer) => frameOf('D', chunk),
  tableEnd: (end: z.infer<typeof TableEnd>) => json('E', end),
  end: (end: End) => json('Z', end),
};

/** Writes frames to a new file, which only its owner may read. Throws when there is one. */
export async function writeFrames(file: string, made: AsyncIterable<Buffer>): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(made, { objectMode: true }), createGzip({ level: 4 }), target);
}

/** More than this no frame has: rows come in pieces. */
const LONGEST_FRAME = 2 ** 30;

/** Frames of a file, one after another. @throws BackupRefused when it is none of ours, or damaged */
export async function* readFrames(file: string): AsyncGenerator<Frame> {
  const source = createReadStream(file);
  const unzip: Transform = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  let held: Buffer = Buffer.alloc(0);
  let isFirst = true;
  try {
    for await (const chunk of source.pipe(unzip)) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (;;) {
        if (held.length < 5) break;
        const letter = held.toString('latin1', 0, 1);
        const length = held.readUInt32BE(1);
        if (!isLetter(letter) || length > LONGEST_FRAME || (isFirst && letter !== 'H')) {
          throw new BackupRefused(isFirst ? `${file} is no backup of Switchyard` : DAMAGED);
        }
        if (held.length < 5 + length) break;
        isFirst = false;
        yield { letter, content: held.subarray(5, 5 + length) };
        held = held.subarray(5 + length);
      }
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw error;
    throw new BackupRefused(isFirst ? `${file} is no backup of Switchyard` : DAMAGED);
  } finally {
    source.destroy();
  }
  if (held.length > 0 || isFirst) throw new BackupRefused(DAMAGED);
}

const isLetter = (letter: string): letter is Letter => 'HTDEZ'.includes(letter);

const read = <Shape extends z.ZodType>(schema: Shape, { content }: Frame): z.infer<Shape> => {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch {
    throw new BackupRefused(DAMAGED);
  }
};

/** What a frame says. @throws BackupRefused when it is damaged, or of a later format */
export const reading = {
  header: (frame: Frame): Header => {
    const { format } = read(z.looseObject({ format: z.number() }), frame);
    if (format > FORMAT) {
      throw new BackupRefused(
        `The backup has format ${format}, and this version of Switchyard reads ${FORMAT} at most: restore it with the version that made it, or a later one`,
      );
    }
    return read(Header, frame);
  },
  table: (frame: Frame) => read(Table, frame),
  tableEnd: (frame: Frame) => read(TableEnd, frame),
  end: (frame: Frame) => read(End, frame),
  damaged: () => new BackupRefused(DAMAGED),
};
