import type { ReactNode } from 'react';
import { type ProcedureName, useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { type Create, useCreate } from './actions/use-create.tsx';
import { ActionMenu, type MenuAction } from './overlays/menu.tsx';
import { Page } from './page.tsx';
import { Empty } from './states.tsx';
import type { Column } from './table/data-table.tsx';
import { listInput } from './table/list-input.ts';
import { ListView } from './table/list-page.tsx';
import type { Sort } from './table/sort.ts';

/** What the lists of named documents accept. */
type NamedQuery = {
  skip: number;
  limit: number;
  contains?: Record<string, string>;
  sort?: string;
  order?: 1 | -1;
};

type NamedListProps<Row> = {
  /** Name of the screen, of its table and of its CSV file: `Groups`. */
  title: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** The procedure of the list, so that its invalidation reaches it: `trpc.authorization.listGroups`. */
  procedure: { pathKey: () => readonly unknown[] };
  read: (query: NamedQuery) => Promise<{ results: readonly Row[]; total: number }>;
  /** The field in which the text filter is sought; absent: name. */
  textField?: string;
  /** False: the procedure returns everything and accepts no filter. */
  hasTextFilter?: boolean;
  defaultSort?: Sort;
  filters?: ReactNode;
  /** The input of the procedure for the CSV file, made from filter and order; absent: those as `queryOptions`. */
  request?: (query: Omit<NamedQuery, 'skip' | 'limit'>) => Record<string, unknown>;
  /** Further parts of the input, which the filters of the address set. */
  input?: Record<string, unknown>;
  /** Why there is nothing yet, and what to do. */
  empty: { title: string; text: ReactNode };
  /** The button that creates one, for those who may, and its dialog. */
  create?: Create;
  /** Actions of one row, in its last column; only those that the account may use. */
  actionsOf?: (row: Row) => readonly (MenuAction & { needs: ProcedureName })[];
  /** The name of a row, for the button of its actions. */
  nameOf?: (row: Row) => string;
  /** Further buttons beside the title. */
  actions?: ReactNode;
  /** Links to where a page of its own belongs. */
  pathTo?: ReactNode;
  intro?: ReactNode;
  /** The frame of an area that lists its pages beside each of them, such as `AdminFrame`; absent: a page without one. */
  frame?: (actions: ReactNode, list: ReactNode) => ReactNode;
};

/** A screen that is one list of documents with names: filter, order, columns, CSV, creation, and actions of each row. */
export function NamedList<Row>(props: NamedListProps<Row>) {
  const { title, columns, read, textField = 'name', defaultSort, actionsOf, frame, empty } = props;
  const [url] = useUrlState();
  const may = useMay();
  const create = useCreate(props.create);
  const input = { ...listInput(url, textField, defaultSort), ...props.input };
  const actions = (
    <>
      {props.actions}
      {create.button}
    </>
  );
  const list = (
    <>
      {props.intro}
      <ListView
        title={title}
        columns={actionsOf ? [...columns, actionColumn(actionsOf, may, props.nameOf)] : columns}
        rowKey={props.rowKey}
        path={props.procedure.pathKey()}
        input={input}
        request={props.request?.(input) ?? (props.hasTextFilter === false ? {} : { queryOptions: input })}
        read={async (skip, limit) => {
          const { results, total } = await read({ ...input, skip, limit });
          return { rows: results, total };
        }}
        filters={props.filters}
        hasTextFilter={props.hasTextFilter ?? true}
        {...(defaultSort && { defaultSort })}
        empty={
          <Empty title={empty.title} next={create.next}>
            <p>{empty.text}</p>
          </Empty>
        }
      />
      {create.dialog}
    </>
  );
  if (frame) return frame(actions, list);
  return (
    <Page title={title} path={props.pathTo} actions={actions}>
      {list}
    </Page>
  );
}

function actionColumn<Row>(
  actionsOf: NonNullable<NamedListProps<Row>['actionsOf']>,
  may: ReturnType<typeof useMay>,
  nameOf: ((row: Row) => string) | undefined,
): Column<Row> {
  return {
    key: 'actions',
    header: 'Actions',
    cell: (row) => {
      const allowed = actionsOf(row).filter(({ needs }) => may(needs));
      if (allowed.length === 0) return null;
      return (
        <ActionMenu
          label="Actions"
          {...(nameOf && { name: `Actions of ${nameOf(row)}` })}
          actions={allowed}
        />
      );
    },
  };
}
