/** A problem of a file: its row as a spreadsheet numbers it, its column, and what is wrong. */
export type CsvIssue = { row: number; column: string; message: string };

/** A host of a file, with the device groups that it joins. */
export type CsvRow = { row: number; host: Record<string, unknown>; groups: string[] };

/** The hosts of a file, and the issues of rows that are none. */
export type CsvHosts = { hosts: CsvRow[]; issues: CsvIssue[]; rows: number };
