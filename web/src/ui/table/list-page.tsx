import { useRouterState } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { retryFailed } from '~/api/client.ts';
import { type RunKind, useRunEvents } from '~/api/live/use-runs.ts';
import { problemOfRead } from '~/api/problem.ts';
import { usePages } from '~/api/use-pages.ts';
import { type SavedView, usePreferences } from '~/api/use-preferences.ts';
import { useUrlState, useUrlText } from '~/app/url-state.ts';
import { Button } from '../button.tsx';
import { DownloadButton } from '../download-button.tsx';
import { AS_TYPED, Checkbox, TextField } from '../fields.tsx';
import { FormDialog } from '../overlays/dialog.tsx';
import { showProblem } from '../overlays/toast.tsx';
import { Page } from '../page.tsx';
import { Empty, Failed, Loading, ProblemNote, Refused } from '../states.tsx';
import { addressOfCsv } from './csv.ts';
import { type Column, DataTable } from './data-table.tsx';
import { pagesToPlace } from './list-place.ts';
import { SaveCsv } from './save-csv.tsx';
import { type Sort, sortOf } from './sort.ts';

type ReadPage<Row> = (
  skip: number,
  limit: number,
) => Promise<{ rows: readonly Row[]; total?: number | undefined }>;

export type ListViewProps<Row> = {
  /** Name of the screen, of its table, and of its CSV file. */
  title: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** The path key of the procedure, so that its invalidation reaches the list. */
  path: readonly unknown[];
  /** Everything that the answer depends on besides the page: filters and order. */
  input: unknown;
  read: ReadPage<Row>;
  /** The input of the procedure without its page, for the CSV file; absent: `input` as `queryOptions`. */
  request?: Readonly<Record<string, unknown>>;
  /** Further filters beside the text. */
  filters?: ReactNode;
  /** Search parameters that select what the list shows, such as a tree; "Clear filters" keeps them. */
  subject?: readonly string[];
  /** False: the list has no text filter. */
  hasTextFilter?: boolean;
  /** What to do when there is nothing yet. */
  empty: ReactNode;
  /** Actions on the selected rows, by their keys; the list then has checkboxes. `rows` are all that were read. */
  bulk?: (selected: readonly string[], clear: () => void, rows: readonly Row[]) => ReactNode;
  /** The order without one in the address. */
  defaultSort?: Sort;
  /** The kind of runs that the list shows: it follows their events. */
  runs?: RunKind;
};

/** A page that is one list. */
export function ListPage<Row>({
  actions,
  intro,
  pathTo,
  ...list
}: ListViewProps<Row> & {
  actions?: ReactNode;
  intro?: ReactNode;
  /** Links to where the page belongs. */
  pathTo?: ReactNode;
}) {
  return (
    <Page title={list.title} path={pathTo} actions={actions}>
      {intro}
      <ListView {...list} />
    </Page>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

/** A list with its toolbar, in its four states. Text filter and order stand in the address as `q` and `sort`. */
export function ListView<Row>(props: ListViewProps<Row>) {
  const { title, columns, rowKey, path, input, read, empty, bulk, defaultSort } = props;
  const [url, setUrl] = useUrlState();
  // An action must not reach rows that another filter no longer shows.
  const filters = JSON.stringify({ ...url, sort: undefined });
  const [selection, setSelection] = useState({ filters, keys: new Set<string>() });
  const selected = selection.filters === filters ? selection.keys : NOTHING;
  const setSelected = (keys: Set<string>) => setSelection({ filters, keys });
  const place = useRouterState({ select: ({ location }) => location.pathname });
  const [preferences, change] = usePreferences();
  const hidden = preferences.hiddenColumns?.[place] ?? [];
  const shown = columns.filter(({ key }) => !hidden.includes(key));
  const pages = usePages({ path, input, read, firstPages: pagesToPlace(title) });
  useRunEvents(props.runs, { queryKey: path });
  const { query, rows } = pages;
  // What the rows belong to: those before stay until others arrive.
  const view = useRef('');
  if (!query.isPlaceholderData) view.current = JSON.stringify(input);
  const problem = query.error ? problemOfRead(query.error) : undefined;
  const sort = sortOf(url.sort) ?? defaultSort;
  const kept = ['tab', 'sort', ...(props.subject ?? [])];
  const filtering = Object.keys(url).filter((key) => !kept.includes(key));
  // Without the toolbar: filters, columns and a file of rows that the account may not see lead nowhere.
  if (query.data === undefined && problem?.status === 403) return <Refused message={problem.message} />;
  return (
    <>
      <search className="toolbar">
        {props.hasTextFilter !== false && <FilterBox />}
        {props.filters}
        <div className="toolbar-end">
          <SavedViews />
          <ColumnChoice
            columns={columns}
            hidden={hidden}
            onChange={(next) => change(() => ({ hiddenColumns: { [place]: next } }))}
          />
          <CsvOfList list={props} rows={rows} />
        </div>
      </search>
      {bulk && selected.size > 0 && (
        <section className="row note" aria-label="Selected rows">
          <strong role="status">{selected.size} selected</strong>
          {bulk([...selected], () => setSelected(new Set()), rows)}
          <Button variant="quiet" onPress={() => setSelected(new Set())}>
            Clear selection
          </Button>
        </section>
      )}
      <FilterOutcome
        isCurrent={query.data !== undefined && !query.isPlaceholderData}
        filters={JSON.stringify(input)}
        outcome={`${countText(pages.total ?? rows.length)}${orderText(columns, sort)}`}
      />
      {problem && query.data !== undefined && <ProblemNote problem={problem} />}
      {query.data === undefined ? (
        problem === undefined ? (
          <Loading what={`Loading ${title.toLowerCase()}`} />
        ) : (
          <Failed problem={problem} onRetry={retryFailed} />
        )
      ) : rows.length === 0 ? (
        filtering.length > 0 ? (
          <Empty title="Nothing matches these filters">
            <Button onPress={() => setUrl(Object.fromEntries(filtering.map((key) => [key, undefined])))}>
              Clear filters
            </Button>
          </Empty>
        ) : (
          empty
        )
      ) : (
        <DataTable
          label={title}
          columns={shown}
          rows={rows}
          rowKey={rowKey}
          view={view.current}
          total={pages.total}
          hasMore={pages.hasMore}
          isReadingMore={pages.isReadingMore}
          onReadMore={pages.readMore}
          sort={sort}
          onSort={({ field, order }) => setUrl({ sort: `${order === -1 ? '-' : ''}${field}` })}
          {...(bulk && { selection: { selected, onChange: setSelected } })}
        />
      )}
    </>
  );
}

const countText = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`);

/** Returns how a list is sorted, for screen readers. */
function orderText<Row>(columns: readonly Column<Row>[], sort: Sort | undefined): string {
  const header = columns.find(({ sortField }) => sort && sortField === sort.field)?.header;
  return header && sort ? `, sorted by ${header}, ${sort.order === 1 ? 'ascending' : 'descending'}` : '';
}

/** Tells screen readers what a filter or an order that the user chose has led to; changes of the list itself say nothing. */
function FilterOutcome({
  isCurrent,
  filters,
  outcome,
}: {
  /** Whether the rows are those of these filters already. */
  isCurrent: boolean;
  filters: string;
  outcome: string;
}) {
  const [said, setSaid] = useState('');
  const before = useRef(filters);
  useEffect(() => {
    if (!isCurrent || before.current === filters) return;
    before.current = filters;
    setSaid(outcome);
  }, [isCurrent, filters, outcome]);
  return (
    <p className="visually-hidden" role="status" aria-label="Outcome of the filters">
      {said}
    </p>
  );
}

/** The text filter, which stands in the address as `q`. */
export function FilterBox() {
  const { text, setText, send } = useUrlText('q');
  return (
    <div className="filter-box">
      <Search className="icon" />
      <input
        {...AS_TYPED}
        type="search"
        className="input"
        aria-label="Filter"
        placeholder="Filter ( / )"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && send()}
      />
    </div>
  );
}

/** The filters that the account has named for this list. */
function SavedViews() {
  const [url, setUrl] = useUrlState();
  const [preferences, change] = usePreferences();
  const place = useRouterState({ select: ({ location }) => location.pathname });
  const views = preferences.views?.[place] ?? [];
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const [current, setCurrent] = useState('');
  const keep = (name: string, view?: SavedView) =>
    change(({ views = {} }) => {
      const others = (views[place] ?? []).filter((one) => one.name !== name);
      return { views: { [place]: view ? [...others, view] : others } };
    });
  return (
    <>
      {views.length > 0 && (
        <select
          className="input fit saved-views"
          aria-label="Saved views"
          value={current}
          onChange={(event) => {
            const view = views.find((one) => one.name === event.target.value);
            setCurrent(view?.name ?? '');
            const cleared = Object.fromEntries(Object.keys(url).map((key) => [key, undefined]));
            setUrl({ ...cleared, ...view?.search });
          }}
        >
          <option value="">Saved views</option>
          {views.map((view) => (
            <option key={view.name}>{view.name}</option>
          ))}
        </select>
      )}
      {current && (
        <Button
          variant="quiet"
          aria-label="Delete view"
          onPress={() => {
            keep(current).then(() => setCurrent(''), showProblem);
          }}
        >
          ✕
        </Button>
      )}
      <Button variant="quiet" onPress={() => setNaming(true)} isDisabled={Object.keys(url).length === 0}>
        Save view
      </Button>
      <FormDialog
        title="Save view"
        action="Save view"
        isOpen={isNaming}
        onClose={() => setNaming(false)}
        isReady={name.trim() !== ''}
        onSubmit={async () => {
          await keep(name.trim(), { name: name.trim(), search: url });
          setCurrent(name.trim());
          setName('');
        }}
      >
        <TextField label="Name of the view" value={name} onChange={setName} isRequired autoFocus />
      </FormDialog>
    </>
  );
}

function ColumnChoice<Row>({
  columns,
  hidden,
  onChange,
}: {
  columns: readonly Column<Row>[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => Promise<unknown>;
}) {
  const [isOpen, setOpen] = useState(false);
  const [next, setNext] = useState<readonly string[]>(hidden);
  // The first column has the link that opens the row.
  const choices = columns.slice(1);
  return (
    <>
      <Button
        variant="quiet"
        onPress={() => {
          setNext(hidden);
          setOpen(true);
        }}
      >
        Columns
      </Button>
      <FormDialog
        title="Columns"
        action="Show these"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={() => onChange([...next])}
      >
        {choices.map(({ key, header }) => (
          <Checkbox
            key={key}
            label={header}
            isChecked={!next.includes(key)}
            onChange={(isShown) => setNext(isShown ? next.filter((one) => one !== key) : [...next, key])}
          />
        ))}
      </FormDialog>
    </>
  );
}

/** Saves the whole list as the server writes it, or rows that no procedure of the server lists. */
function CsvOfList<Row>({ list, rows }: { list: ListViewProps<Row>; rows: readonly Row[] }) {
  const { title, columns, path, input } = list;
  const isFiltered = Object.keys(input as object).length > 0;
  const request = list.request ?? (isFiltered ? { queryOptions: input } : {});
  const address = addressOfCsv(columns, path, request);
  if (address !== undefined)
    return (
      <DownloadButton variant="quiet" address={address}>
        CSV
      </DownloadButton>
    );
  if (!columns.some(({ text }) => text)) return null;
  return <SaveCsv name={title.toLowerCase().replaceAll(' ', '-')} columns={columns} rows={rows} />;
}
