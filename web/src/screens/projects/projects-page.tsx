import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { projectPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Button, LinkButton } from '~/ui/button.tsx';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { ImportProject } from './import-project.tsx';

type Project = Outputs['automationStudio']['listProjects']['data'][number];

const COLUMNS: Column<Project>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id, name }) => <Link {...projectPath(_id)}>{name ?? ''}</Link>,
    field: 'name',
  },
  DESCRIPTION,
  {
    key: 'components',
    header: 'Components',
    isNumber: true,
    cell: ({ components }) => components?.length ?? 0,
    field: 'components.length',
  },
  { ...CHANGED, key: 'lastUpdated', sortField: 'lastUpdated' },
];

/** The projects of which the account is a member. */
export function ProjectsPage() {
  const may = useMay();
  const queryClient = useQueryClient();
  const [{ q, sort }] = useUrlState();
  const [isImporting, setImporting] = useState(false);
  const order = sortOf(sort) ?? { field: 'name', order: 1 };
  const input = { ...(q && { contains: { name: q } }), sort: order.field, order: order.order };
  const refresh = () => queryClient.invalidateQueries(trpc.automationStudio.listProjects.pathFilter());
  const create = useCreate({
    label: 'Create project',
    needs: 'automationStudio.createProject',
    dialog: (onClose) => <CreateProject onClose={onClose} onDone={refresh} />,
  });
  return (
    <>
      <ListPage
        title="Projects"
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        path={trpc.automationStudio.listProjects.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { data, metadata } = await api.automationStudio.listProjects.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: data, total: metadata.total };
        }}
        actions={
          <>
            <LinkButton to="/workflows">Workflows</LinkButton>
            <LinkButton to="/transformations">Transformations</LinkButton>
            {may('automationStudio.listTemplates') && (
              <LinkButton to="/text-templates">Text templates</LinkButton>
            )}
            {may('prebuilts.listPrebuilts') && <LinkButton to="/prebuilts">Prebuilts</LinkButton>}
            {may('automationStudio.importProject') && (
              <Button onPress={() => setImporting(true)}>Import</Button>
            )}
            {create.button}
          </>
        }
        empty={
          <Empty title="No project yet" next={create.next}>
            <p>
              {may('automationStudio.createProject')
                ? 'Import a project file, or create a project and add workflows to it.'
                : 'Projects of which you are a member appear here: their owners add members.'}
            </p>
          </Empty>
        }
      />
      {create.dialog}
      <ImportProject isOpen={isImporting} onClose={() => setImporting(false)} onDone={refresh} />
    </>
  );
}

function CreateProject({ onClose, onDone }: { onClose: () => void; onDone: () => unknown }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <FormDialog
      title="Create project"
      action="Create project"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        await api.automationStudio.createProject.mutate({ name, description });
        await onDone();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextArea label="Description" value={description} onChange={setDescription} rows={3} />
    </FormDialog>
  );
}
