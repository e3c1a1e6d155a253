import { type Header, readFrames, reading, Sum, type TableSum } from './format.ts';

/**
 * Reads a whole backup and compares every table with its recorded number of rows and its SHA-256. It writes nothing.
 *
 * @param file path of the file
 * @returns the header, and the sums of the tables
 * @throws BackupError when the file is no backup, is damaged or is incomplete
 */
export async function verifyBackup(file: string): Promise<{ header: Header; tables: TableSum[] }> {
  const tables: TableSum[] = [];
  let header: Header | undefined;
  let open: { table: string; sum: Sum } | undefined;
  let isEnded = false;
  for await (const frame of readFrames(file)) {
    if (isEnded) throw reading.damaged();
    if (frame.letter === 'H' && !header) header = reading.header(frame);
    else if (frame.letter === 'T' && header && !open)
      open = { table: reading.table(frame).table, sum: new Sum() };
    else if (frame.letter === 'D' && open) open.sum.add(frame.content);
    else if (frame.letter === 'E' && open) {
      const found = open.sum.done();
      if (JSON.stringify(reading.tableEnd(frame)) !== JSON.stringify(found)) throw reading.damaged();
      tables.push({ table: open.table, ...found });
      open = undefined;
    } else if (frame.letter === 'Z' && header && !open) {
      if (JSON.stringify(reading.end(frame).tables) !== JSON.stringify(tables)) throw reading.damaged();
      isEnded = true;
    } else throw reading.damaged();
  }
  if (!header || !isEnded) throw reading.damaged();
  return { header, tables };
}
