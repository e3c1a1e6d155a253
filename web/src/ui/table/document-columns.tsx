import { Time } from '../time.tsx';
import type { Column } from './data-table.tsx';

/** The name of a document, which no page is opened by. */
export const NAME: Column<{ name: string }> = {
  key: 'name',
  header: 'Name',
  sortField: 'name',
  cell: ({ name }) => name,
  field: 'name',
};

/** The description of a document. */
export const DESCRIPTION: Column<{ description?: string | null | undefined }> = {
  key: 'description',
  header: 'Description',
  cell: ({ description }) => description ?? '',
  field: 'description',
};

/** When a document was last changed. */
export const CHANGED: Column<{ lastUpdated?: string | number | null | undefined }> = {
  key: 'changed',
  header: 'Changed',
  cell: ({ lastUpdated }) => <Time value={lastUpdated} />,
  field: 'lastUpdated',
};
