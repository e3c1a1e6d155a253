import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unavailable } from '#server/kernel/errors.ts';

/** Bytes that are read at once. */
const PIECE = 1024 * 1024;

/**
 * A temporary file that has no name, so that nothing of it is left after the process, however that ends.
 *
 * @throws ServiceError SERVICE_UNAVAILABLE when the folder for temporary files is full or cannot be written
 */
export class Spool {
  readonly #file: FileHandle;
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates an empty file. */
  static async open(): Promise<Spool> {
    const path = join(tmpdir(), `switchyard-body-${randomUUID()}`);
    try {
      const file = await open(path, 'wx+', 0o600);
      await unlink(path);
      return new Spool(file);
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** Appends bytes. */
  async write(bytes: Buffer): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#size);
        at += bytesWritten;
        this.#size += bytesWritten;
      }
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** Reads the bytes from `from` to before `to`, in pieces; each piece is overwritten by the next one. */
  async *read(from: number, to: number): AsyncGenerator<Buffer> {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, to - from));
    for (let at = from; at < to; ) {
      const { bytesRead } = await this.#file.read(piece, 0, Math.min(piece.length, to - at), at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than it was');
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Closes the file, which deletes it. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

const unwritable = (error: unknown) =>
  unavailable(
    'The service cannot write the body to its folder for temporary files (full or read-only); retry later',
    error,
    10,
  );
