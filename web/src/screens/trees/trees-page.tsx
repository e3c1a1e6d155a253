import './trees.css';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { treePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Button, LinkButton } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED } from '~/ui/table/document-columns.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { CreateTreeDialog, ImportDialog } from './tree-dialogs.tsx';

type Tree = Outputs['configurationManager']['searchTrees']['list'][number];

const COLUMNS: Column<Tree>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ id, name }) => <Link {...treePath(id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'deviceType',
    header: 'Device type',
    sortField: 'deviceType',
    cell: ({ deviceType }) => deviceType,
    field: 'deviceType',
  },
  {
    key: 'versions',
    header: 'Versions',
    cell: ({ versions }) => versions.join(', '),
    field: 'versions',
  },
  {
    key: 'compliance',
    header: 'Compliance',
    cell: ({ id, name }) => (
      <Link to="/compliance" search={{ tree: id }} aria-label={`grades of ${name}`}>
        grades
      </Link>
    ),
  },
  { ...CHANGED, key: 'lastUpdated', sortField: 'lastUpdated' },
];

/** Screen 10: the golden configs. */
export function TreesPage() {
  const may = useMay();
  const navigate = useNavigate();
  const [{ q, sort }] = useUrlState();
  const [isImporting, setImporting] = useState(false);
  const order = sortOf(sort) ?? { field: 'name', order: 1 };
  const input = { name: q || undefined, options: { sort: { [order.field]: order.order } } };
  const { searchTrees } = trpc.configurationManager;
  useRefetchOn(
    searchTrees.pathFilter(),
    ({ topic, payload }) => topic === 'configurationChanged' && payload.kind === 'tree',
  );
  const create = useCreate({
    label: 'Create golden config',
    needs: 'configurationManager.createTree',
    dialog: (onClose) => (
      <CreateTreeDialog onClose={onClose} onCreated={(id) => void navigate(treePath(id))} />
    ),
  });
  return (
    <>
      <ListPage
        title="Golden configs"
        actions={
          <>
            {may('configurationManager.listParsers') && <LinkButton to="/parsers">Config parsers</LinkButton>}
            {may('configurationManager.importTrees') && (
              <Button onPress={() => setImporting(true)}>Import</Button>
            )}
            {create.button}
          </>
        }
        columns={COLUMNS}
        rowKey={({ id }) => id}
        path={searchTrees.pathKey()}
        input={input}
        request={input}
        defaultSort={{ field: 'name', order: 1 }}
        read={async (start, limit) => {
          const { list, total } = await api.configurationManager.searchTrees.query({
            ...input,
            options: { ...input.options, start, limit },
          });
          return { rows: list, total };
        }}
        {...(may('configurationManager.deleteTrees') && {
          bulk: (selected: readonly string[], clear: () => void) => (
            <DeleteButton selected={selected} onDone={clear} />
          ),
        })}
        empty={
          <Empty title="There is no golden config yet" next={create.next}>
            <p>A golden config holds the rules that devices of one type are checked against.</p>
            {!create.next && <LinkButton to="/compliance">Compliance</LinkButton>}
          </Empty>
        }
      />
      {create.dialog}
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

function DeleteButton({ selected, onDone }: { selected: readonly string[]; onDone: () => void }) {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <FormDialog
        title={`Delete ${selected.length} golden ${selected.length === 1 ? 'config' : 'configs'}?`}
        action="Delete"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={async () => {
          const { deleted, conflicts = [] } = await api.configurationManager.deleteTrees.mutate({
            treeIds: [...selected],
          });
          const kept = conflicts.map(({ id, usedBy }) => `${id} is used by ${usedBy.join(', ')}`).join('; ');
          showToast(
            kept ? `Deleted ${deleted}. Kept: ${kept}` : `Deleted ${deleted}.`,
            kept ? 'warn' : 'good',
          );
          onDone();
          await queryClient.invalidateQueries(trpc.configurationManager.searchTrees.pathFilter());
        }}
      >
        <p>Their versions, nodes and rules are deleted too. Reports stay. What a plan uses is kept.</p>
      </FormDialog>
    </>
  );
}
