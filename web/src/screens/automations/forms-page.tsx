import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { PathLink } from '~/ui/page.tsx';
import { PermittedLink } from '~/ui/permitted-link.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { nameText } from '~/ui/visible-text.ts';

type Form = Outputs['jsonForms']['listForms'][number];
type Sent = Inputs['jsonForms']['createForm']['form'];
type Imported = Inputs['jsonForms']['importForms']['forms'][number];
type OpenDialog = { kind: 'import' } | { kind: 'edit' | 'delete'; form: Form };

/** A form with one field, as a beginning. */
const EXAMPLE = {
  name: 'New form',
  description: '',
  schema: { type: 'object', required: ['site'], properties: { site: { type: 'string', title: 'Site' } } },
  uiSchema: {},
};

const COLUMNS: Column<Form>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => nameText(name), field: 'name' },
  DESCRIPTION,
  {
    key: 'fields',
    header: 'Fields',
    cell: ({ schema }) => Object.keys((schema?.properties ?? {}) as object).join(', '),
  },
  CHANGED,
];

const save = (form: Form) =>
  saveFile(`${form.name}.form.json`, JSON.stringify(form, null, 2), 'application/json');

/** The forms that triggers and manual tasks show. */
export function FormsPage() {
  const may = useMay();
  const refresh = useRefresh(trpc.jsonForms.listForms.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Forms"
        pathTo={<PathLink to="/automations">Automations</PathLink>}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        nameOf={({ name }) => nameText(name)}
        procedure={trpc.jsonForms.listForms}
        read={async () => {
          const results = await api.jsonForms.listForms.query({});
          return { results, total: results.length };
        }}
        hasTextFilter={false}
        empty={{
          title: 'No form yet',
          text: (
            <>
              A form asks for the input of an automation or of a manual task. Create one, or import a{' '}
              <PermittedLink needs="automationStudio.listProjects" to="/projects">
                project
              </PermittedLink>{' '}
              or a{' '}
              <PermittedLink needs="prebuilts.listPrebuilts" to="/prebuilts">
                prebuilt
              </PermittedLink>{' '}
              that has some.
            </>
          ),
        }}
        actions={
          may('jsonForms.importForms') && (
            <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
          )
        }
        create={{
          label: 'Create form',
          needs: 'jsonForms.createForm',
          dialog: (onClose) => (
            <DocumentDialog
              title="Create form"
              action="Create form"
              document={EXAMPLE}
              onClose={onClose}
              onSubmit={async (document) => {
                await api.jsonForms.createForm.mutate({ form: document as Sent });
                await refresh();
              }}
            />
          ),
        }}
        actionsOf={(form) => [
          {
            label: 'Change document',
            needs: 'jsonForms.updateForm',
            onAction: () => setOpened({ kind: 'edit', form }),
          },
          { label: 'Export', needs: 'jsonForms.getForm', onAction: () => save(form) },
          {
            label: 'Delete',
            needs: 'jsonForms.deleteForms',
            onAction: () => setOpened({ kind: 'delete', form }),
          },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import form"
          action="Import form"
          onClose={close}
          onSubmit={async (document) => {
            await api.jsonForms.importForms.mutate({ forms: [document as Imported] });
            await refresh();
          }}
        />
      )}
      {opened?.kind === 'edit' && <ChangeForm form={opened.form} onClose={close} onDone={refresh} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete form"
          onClose={close}
          onConfirm={async () => {
            await api.jsonForms.deleteForms.mutate({ ids: [opened.form.id] });
            await refresh();
          }}
        >
          The form “{nameText(opened.form.name)}” is deleted; what was filled in with it stays in its jobs.
          One that a trigger or a workflow uses cannot be deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

type ChangeFormProps = { form: Form; onClose: () => void; onDone: () => unknown };

function ChangeForm({ form, onClose, onDone }: ChangeFormProps) {
  const [stamp, setStamp] = useState(form.lastUpdated);
  return (
    <DocumentDialog
      title="Change form"
      action="Save document"
      document={form}
      onClose={onClose}
      onSubmit={async (document) => {
        await saveOver(
          stamp,
          (condition) =>
            api.jsonForms.updateForm.mutate({ id: form.id, options: document as Sent }, condition),
          async () => setStamp((await api.jsonForms.getForm.query({ id: form.id })).lastUpdated),
        );
        await onDone();
      }}
    />
  );
}
