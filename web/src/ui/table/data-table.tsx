import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useRef,
} from 'react';
import { placeOf } from '~/app/scroll-places.ts';
import { rowHeight, useListPlace } from './list-place.ts';
import type { Sort } from './sort.ts';

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /**
   * The field of the row in a CSV file that the server writes, with dots for nested fields: `metrics.start_time`. A head of its
   * own follows after a colon, further fields after a comma. Absent: the column is left out.
   */
  field?: string;
  /** The value in a CSV file of rows that the page has already; absent: the column is left out. */
  text?: (row: Row) => string | number | null | undefined;
  isNumber?: boolean;
  /** Whether long text wraps, in all rows or in some; other columns are one line high, and longer text is cut off. */
  wraps?: boolean | ((row: Row) => boolean);
  /** The field that the server sorts by. */
  sortField?: string;
  /** Width such as `12rem`, used once the rows are virtual. */
  width?: string;
};

type DataTableProps<Row> = {
  /** The accessible name: that of its screen. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What the rows depend on, such as filters and order: with another one the table begins at its top. */
  view?: string;
  /** How many rows the list has in all. */
  total?: number | undefined;
  hasMore?: boolean;
  isReadingMore?: boolean;
  onReadMore?: () => void;
  selection?: { selected: ReadonlySet<string>; onChange: (selected: Set<string>) => void };
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
};

/** Up to this many rows are all in the document, so that the search of the browser finds them. */
const PLAIN_ROWS = 200;
const OVERSCAN = 6;
/** Rows that fill the window. The first table of a page is drawn with these alone, and with the rest as soon as they are shown. */
const firstRows = () => Math.ceil(window.innerHeight / rowHeight());
/** Whether a table was drawn since the page was loaded. Later ones have all rows at once, to which going back may scroll. */
let isFirstDrawn = false;

/** A table of a list: sortable headers, a selection, and rows that are rendered as they scroll into view. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, view, total, hasMore, isReadingMore, onReadMore, selection } = props;
  const hasAllRows = useDeferredValue(true, isFirstDrawn || placeOf(label) > 0);
  useEffect(() => {
    isFirstDrawn = true;
  }, []);
  const names = useId();
  const frame = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > PLAIN_ROWS;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: rowHeight,
    initialOffset: () => placeOf(label),
    overscan: OVERSCAN,
    enabled: isVirtual,
  });
  useListPlace(label, view, frame);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? rows.length - 1;
  useEffect(() => {
    if (isVirtual && hasMore && !isReadingMore && last >= rows.length - 20) onReadMore?.();
  }, [isVirtual, hasMore, isReadingMore, last, rows.length, onReadMore]);
  const shown = isVirtual
    ? items.map(({ index }) => ({ index, row: rows[index] as Row }))
    : rows.slice(0, hasAllRows ? undefined : firstRows()).map((row, index) => ({ index, row }));
  const above = isVirtual ? (items[0]?.start ?? 0) : 0;
  const below = isVirtual ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;
  const span = columns.length + (selection ? 1 : 0);
  // Rows of one line all have the same height.
  const measure = isVirtual && columns.some(({ wraps }) => wraps) ? virtual.measureElement : undefined;
  const latest = useRef(selection);
  latest.current = selection;
  const toggle = useCallback((key: string) => {
    latest.current?.onChange(toggled(latest.current.selected, key));
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-frame" ref={frame} tabIndex={0} aria-label={`${label}, scrollable`}>
        <table
          className="table"
          aria-label={label}
          data-fixed={isVirtual || undefined}
          data-actions={columns.some(({ key }) => key === 'actions') || undefined}
          aria-rowcount={(total ?? rows.length) + 1}
        >
          <MemoHeader {...props} />
          <tbody onPointerOver={showWhole}>
            {above > 0 && <Spacer height={above} span={span} />}
            {shown.map(({ index, row }) => {
              const key = rowKey(row);
              return (
                <MemoRow
                  key={key}
                  id={key}
                  nameId={`${names}${index}`}
                  index={index}
                  row={row}
                  columns={columns as readonly Column<unknown>[]}
                  isSelected={selection?.selected.has(key)}
                  onToggle={toggle}
                  measure={measure}
                />
              );
            })}
            {below > 0 && <Spacer height={below} span={span} />}
          </tbody>
        </table>
      </section>
      <div className="row muted small">
        <span>
          {rows.length.toLocaleString('en')} of {(total ?? rows.length).toLocaleString('en')}
        </span>
        {hasMore && (
          // Disabled, it would lose the focus.
          <button
            type="button"
            className="button"
            onClick={isReadingMore ? undefined : onReadMore}
            aria-disabled={isReadingMore}
          >
            {isReadingMore ? 'Reading …' : 'Show more'}
          </button>
        )}
      </div>
    </>
  );
}

/** Gives a cell under the pointer its whole text as a title, if the cell cuts it off. */
function showWhole({ target }: PointerEvent) {
  const cell = target instanceof Element && target.closest('td');
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : '';
}

type RowProps = {
  id: string;
  /** The id of its first cell, which names it beside its checkbox. */
  nameId: string;
  index: number;
  row: unknown;
  columns: readonly Column<unknown>[];
  /** Undefined: the table has no selection. */
  isSelected: boolean | undefined;
  onToggle: (id: string) => void;
  /** Measures the row of a table whose rows differ in height. */
  measure: ((row: HTMLTableRowElement | null) => void) | undefined;
};

/** A row; while a long table scrolls, only the rows that come into view are rendered. */
const MemoRow = memo(function TableRow({
  id,
  nameId,
  index,
  row,
  columns,
  isSelected,
  onToggle,
  measure,
}: RowProps) {
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2} aria-selected={isSelected}>
      {isSelected !== undefined && (
        <td>
          <RowCheckbox
            label={`Select row ${index + 1}`}
            nameId={nameId}
            isChecked={isSelected}
            onChange={() => onToggle(id)}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td
          key={column.key}
          id={at === 0 ? nameId : undefined}
          className={classOf(column, doesWrap(column, row))}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});

const doesWrap = ({ wraps = false }: Column<unknown>, row: unknown) =>
  typeof wraps === 'function' ? wraps(row) : wraps;

/** Actions stay in sight while a wide table is scrolled sideways, but in a narrow window. */
const classOf = ({ key, isNumber }: { key: string; isNumber?: boolean | undefined }, wraps = false) =>
  isNumber ? 'number' : wraps ? 'text' : key === 'actions' ? 'actions' : undefined;

function Header<Row>({ columns, rows, rowKey, selection, sort, onSort }: DataTableProps<Row>) {
  const keys = rows.map(rowKey);
  const areAllSelected = keys.length > 0 && keys.every((key) => selection?.selected.has(key));
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" style={{ width: '3rem' }}>
            <RowCheckbox
              label="Select all rows shown"
              isChecked={areAllSelected}
              onChange={() => selection.onChange(new Set(areAllSelected ? [] : keys))}
            />
          </th>
        )}
        {columns.map(({ key, header, isNumber, sortField, width }) => {
          const order = sortField !== undefined && sort?.field === sortField ? sort.order : undefined;
          return (
            <th
              key={key}
              scope="col"
              className={classOf({ key, isNumber })}
              aria-sort={order === undefined ? undefined : order === 1 ? 'ascending' : 'descending'}
              style={width ? { width } : undefined}
            >
              {sortField && onSort ? (
                <button
                  type="button"
                  className="sort"
                  onClick={() => onSort({ field: sortField, order: order === 1 ? -1 : 1 })}
                >
                  {header} <span aria-hidden="true">{order === 1 ? '▲' : order === -1 ? '▼' : ''}</span>
                </button>
              ) : (
                header
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** While a table scrolls, nothing of its header changes; it looks at every row to know whether all are selected. */
// `memo` forgets that the component is generic.
const MemoHeader = memo(Header) as typeof Header;

const Spacer = ({ height, span }: { height: number; span: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without content cannot be focused
  <tr aria-hidden="true">
    <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
  </tr>
);

function RowCheckbox({
  label,
  nameId,
  isChecked,
  onChange,
}: {
  label: string;
  nameId?: string;
  isChecked: boolean;
  onChange: () => void;
}) {
  return (
    <span className="checkbox">
      <input
        type="checkbox"
        aria-label={label}
        aria-describedby={nameId}
        checked={isChecked}
        onChange={onChange}
      />
    </span>
  );
}

function toggled(selected: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}
