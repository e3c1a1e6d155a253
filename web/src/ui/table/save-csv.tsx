import { Button } from '../button.tsx';
import { csvOf, saveFile } from './csv.ts';
import type { Column } from './data-table.tsx';

type SaveCsvProps<Row> = {
  /** Name of the file, without its ending. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
};

/** Saves rows that the page has already as a file. */
export const SaveCsv = <Row,>({ name, columns, rows }: SaveCsvProps<Row>) => (
  <Button variant="quiet" onPress={() => saveFile(`${name}.csv`, csvOf(columns, rows))}>
    CSV
  </Button>
);
