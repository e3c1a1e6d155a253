import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { workflowPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { FormDialog } from '~/ui/dialog.tsx';
import { SelectField } from '~/ui/fields.tsx';
import { ActionMenu } from '~/ui/menu.tsx';
import { Empty } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { UsedBy } from './references.tsx';

type Project = Outputs['automationStudio']['getProject']['data'];
export type Component = NonNullable<Project['components']>[number];

const TYPES: Record<Component['type'], string> = {
  workflow: 'workflow',
  template: 'template',
  transformation: 'transformation',
  jsonForm: 'form',
  mopCommandTemplate: 'command template',
  mopAnalyticTemplate: 'analytic template',
};

/** The components of a project, folder by folder. */
export function Components({ project }: { project: Project }) {
  const may = useMay();
  const [asked, setAsked] = useState<{ kind: 'usedBy' | 'remove'; component: Component }>();
  const { components = [] } = project;
  if (components.length === 0) {
    return (
      <Empty title="The project is empty">
        <p>Import components, or move workflows into it.</p>
      </Empty>
    );
  }
  const folders = [...new Set(components.map(({ folder }) => folder ?? '/'))].sort();
  const columns: Column<Component>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: (component) => (
        <ActionMenu
          label="Actions"
          actions={[
            { label: 'What uses it', onAction: () => setAsked({ kind: 'usedBy', component }) },
            ...(may('automationStudio.removeComponent')
              ? [
                  {
                    label: 'Take out of the project',
                    onAction: () => setAsked({ kind: 'remove', component }),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ];
  return (
    <>
      {folders.map((folder) => (
        <section key={folder} className="column" aria-label={`Folder ${folder}`}>
          <h2>{folder === '/' ? 'Top folder' : visibleText(folder)}</h2>
          <DataTable
            label={`Components in ${folder}`}
            columns={columns}
            rows={components.filter((one) => (one.folder ?? '/') === folder)}
            rowKey={({ iid }) => String(iid)}
          />
        </section>
      ))}
      {asked?.kind === 'usedBy' && <UsedBy component={asked.component} onClose={() => setAsked(undefined)} />}
      {asked?.kind === 'remove' && (
        <Remove projectId={project._id} component={asked.component} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

const COLUMNS: Column<Component>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ type, reference, name }) =>
      type === 'workflow' ? (
        <Link to={workflowPath(reference)}>{visibleText(name ?? reference)}</Link>
      ) : (
        visibleText(name ?? reference)
      ),
  },
  { key: 'type', header: 'Kind', cell: ({ type }) => TYPES[type] },
];

type RemoveProps = { projectId: string; component: Component; onClose: () => void };

function Remove({ projectId, component, onClose }: RemoveProps) {
  const refresh = useRefresh(trpc.automationStudio.getProject.pathFilter());
  const [mode, setMode] = useState<'move' | 'delete'>('move');
  return (
    <FormDialog
      title="Take out of the project"
      action={mode === 'move' ? 'Move out' : 'Delete'}
      isDanger={mode === 'delete'}
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.automationStudio.removeComponent.mutate({
          projectId,
          componentId: component.iid,
          options: { mode },
        });
        await refresh();
      }}
    >
      <SelectField
        label={`What happens with “${visibleText(component.name ?? component.reference)}”`}
        value={mode}
        onChange={setMode}
        choices={[
          { value: 'move', label: 'It goes on outside of the project' },
          { value: 'delete', label: 'It is deleted' },
        ]}
      />
    </FormDialog>
  );
}
