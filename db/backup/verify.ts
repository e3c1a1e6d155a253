import { asRecorded, type Header, readFrames, reading, Sum, type TableSum } from './format.ts';

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
  let table = '';
  let sum = new Sum();
  for await (const frame of readFrames(file)) {
    switch (frame.letter) {
      case 'H':
        header = reading.header(frame);
        break;
      case 'T':
        table = reading.table(frame).table;
        sum = new Sum();
        break;
      case 'D':
        sum.add(frame.content);
        break;
      case 'E':
        tables.push({ table, ...asRecorded(sum.done(), reading.tableEnd(frame)) });
        break;
      case 'Z':
        asRecorded(tables, reading.end(frame).tables);
    }
  }
  if (!header) throw reading.damaged();
  return { header, tables };
}
