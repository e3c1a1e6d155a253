import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog, Dialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { type Template, TemplateForm } from './template-form.tsx';
import { TemplateTrial } from './template-trial.tsx';

type OpenDialog = { kind: 'import' } | { kind: 'try' | 'edit' | 'delete'; template: Template };

/** The file that is imported; the service checks what is in it. */
type Imported = Parameters<typeof api.mop.importTemplate.mutate>[0]['template'];

const COLUMNS: Column<Template>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => nameText(name), field: 'name' },
  { key: 'os', header: 'Platform', cell: ({ os }) => os || 'any', field: 'os' },
  {
    key: 'commands',
    header: 'Commands',
    wraps: true,
    cell: ({ commands = [] }) => <code>{commands.map(({ command }) => command).join('; ')}</code>,
    field: 'commands',
  },
  {
    key: 'checks',
    header: 'Checks',
    isNumber: true,
    cell: ({ commands = [] }) => commands.reduce((sum, { rules = [] }) => sum + rules.length, 0),
  },
  DESCRIPTION,
  CHANGED,
];

async function saveTemplate(name: string) {
  try {
    const template = await api.mop.exportTemplate.query({ options: { name }, type: 'templates' });
    saveFile(`${name}.template.json`, JSON.stringify(template, null, 2), 'application/json');
  } catch (error) {
    showProblem(error);
  }
}

/** The command templates: commands for devices, with checks of their output. */
export function TemplatesPage() {
  const may = useMay();
  const refresh = useRefresh(trpc.mop.listTemplates.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Command templates"
        pathTo={<PathLink to="/commands">Commands</PathLink>}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => name}
        procedure={trpc.mop.listTemplates}
        read={async () => {
          const results = await api.mop.listTemplates.query({});
          return { results, total: results.length };
        }}
        hasTextFilter={false}
        empty={{
          title: 'There is no command template yet',
          text: 'A command template holds commands with checks of their output; a run says which devices pass.',
        }}
        actions={
          <>
            {may('mop.listAnalyticTemplates') && (
              <LinkButton to="/analytic-templates">Analytic templates</LinkButton>
            )}
            {may('mop.importTemplate') && (
              <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
            )}
          </>
        }
        create={{
          label: 'Create template',
          needs: 'mop.createTemplate',
          dialog: (onClose) => <TemplateForm onClose={onClose} />,
        }}
        actionsOf={(template) => [
          { label: 'Try', needs: 'mop.testTemplate', onAction: () => setOpened({ kind: 'try', template }) },
          {
            label: 'Change',
            needs: 'mop.updateTemplate',
            onAction: () => setOpened({ kind: 'edit', template }),
          },
          { label: 'Export', needs: 'mop.exportTemplate', onAction: () => void saveTemplate(template.name) },
          {
            label: 'Delete',
            needs: 'mop.deleteTemplate',
            onAction: () => setOpened({ kind: 'delete', template }),
          },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import command template"
          action="Import template"
          onClose={close}
          onSubmit={async (document) => {
            const { name } = await api.mop.importTemplate.mutate({
              type: 'templates',
              template: document as Imported,
            });
            await refresh();
            showToast(`The command template ${name} is stored.`);
          }}
        >
          <p className="muted">A template whose name is taken gets another one.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'try' && (
        <Dialog title={`Try ${nameText(opened.template.name)}`} size="wide" isOpen onClose={close}>
          <TemplateTrial template={opened.template} />
          <div className="dialog-actions">
            <Button onPress={close}>Close</Button>
          </div>
        </Dialog>
      )}
      {opened?.kind === 'edit' && <TemplateForm template={opened.template} onClose={close} />}
      {opened?.kind === 'delete' && (
        <DeleteTemplate name={opened.template.name} onClose={close} onDeleted={refresh} />
      )}
    </>
  );
}

type DeleteProps = { name: string; onClose: () => void; onDeleted: () => unknown };

/** Asks before a command template is deleted. */
const DeleteTemplate = ({ name, onClose, onDeleted }: DeleteProps) => (
  <ConfirmDialog
    action="Delete template"
    onClose={onClose}
    onConfirm={async () => {
      await api.mop.deleteTemplate.mutate({ id: name });
      await onDeleted();
    }}
  >
    The command template “{name}” is deleted; results of its runs stay in their jobs. One that a workflow uses
    cannot be deleted.
  </ConfirmDialog>
);
