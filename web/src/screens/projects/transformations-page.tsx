import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { TryTransformation } from './try-transformation.tsx';
import { UsedBy } from './used-by.tsx';

type Transformation = Outputs['transformations']['listTransformations']['results'][number];
type Update = Inputs['transformations']['updateTransformation']['update'];
type OpenDialog =
  | { kind: 'import' }
  | { kind: 'try' | 'rename' | 'edit' | 'delete' | 'users'; transformation: Transformation };

/** What an empty transformation has, as a beginning. */
const EMPTY = {
  name: 'New transformation',
  description: '',
  incoming: [],
  outgoing: [],
  steps: [],
  functions: [],
};

const COLUMNS: Column<Transformation>[] = [
  { key: 'name', header: 'Name', sortField: 'name', cell: ({ name }) => nameText(name), field: 'name' },
  {
    key: 'state',
    header: 'State',
    cell: ({ errors = [] }) =>
      errors.length > 0 ? <Badge tone="warn">draft</Badge> : <Badge tone="good">can run</Badge>,
    field: 'errors.length:Errors',
  },
  {
    key: 'inputs',
    header: 'Inputs',
    cell: ({ incoming = [] }) => incoming.map(({ $id }) => String($id)).join(', '),
  },
  {
    key: 'outputs',
    header: 'Outputs',
    cell: ({ outgoing = [] }) => outgoing.map(({ $id }) => String($id)).join(', '),
  },
  DESCRIPTION,
  { ...CHANGED, sortField: 'lastUpdated' },
];

const save = (transformation: Transformation) =>
  saveFile(
    `${transformation.name}.transformation.json`,
    JSON.stringify(transformation, null, 2),
    'application/json',
  );

/** The transformations that the account may read, with those of projects. */
export function TransformationsPage() {
  const may = useMay();
  const { listTransformations } = trpc.transformations;
  const refresh = useRefresh(listTransformations.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const open = (kind: 'try' | 'rename' | 'edit' | 'delete' | 'users', transformation: Transformation) => () =>
    setOpened({ kind, transformation });
  return (
    <>
      <NamedList
        title="Transformations"
        pathTo={<PathLink to="/projects">Projects</PathLink>}
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        nameOf={({ name }) => nameText(name)}
        procedure={listTransformations}
        read={(queryOptions) => api.transformations.listTransformations.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no transformation yet',
          text: 'A transformation makes one value out of others: the input of a workflow from an event, for instance.',
        }}
        actions={
          may('transformations.importTransformation') && (
            <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
          )
        }
        create={{
          label: 'Create transformation',
          needs: 'transformations.createTransformation',
          dialog: (onClose) => (
            <DocumentDialog
              title="Create transformation"
              action="Create transformation"
              document={EMPTY}
              onClose={onClose}
              onSubmit={async (document) => {
                await api.transformations.createTransformation.mutate({
                  transformation:
                    document as Inputs['transformations']['createTransformation']['transformation'],
                });
                await refresh();
              }}
            />
          ),
        }}
        actionsOf={(transformation) => [
          {
            label: 'Try',
            needs: 'transformations.runTransformation',
            onAction: open('try', transformation),
          },
          {
            label: 'Rename',
            needs: 'transformations.updateTransformation',
            onAction: open('rename', transformation),
          },
          {
            label: 'Change document',
            needs: 'transformations.updateTransformation',
            onAction: open('edit', transformation),
          },
          {
            label: 'Used by',
            needs: 'automationStudio.listReferencesTo',
            onAction: open('users', transformation),
          },
          {
            label: 'Export',
            needs: 'transformations.getTransformation',
            onAction: () => save(transformation),
          },
          {
            label: 'Delete',
            needs: 'transformations.deleteTransformation',
            onAction: open('delete', transformation),
          },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import transformation"
          action="Import transformation"
          onClose={close}
          onSubmit={async (document) => {
            const { name } = await api.transformations.importTransformation.mutate({
              transformation: document as Inputs['transformations']['importTransformation']['transformation'],
            });
            await refresh();
            showToast(`The transformation ${name} is stored.`);
          }}
        >
          <p className="muted">A transformation whose name is taken gets another one.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'try' && <TryTransformation transformation={opened.transformation} onClose={close} />}
      {opened?.kind === 'edit' && <ChangeDocument transformation={opened.transformation} onClose={close} />}
      {opened?.kind === 'rename' && <Rename transformation={opened.transformation} onClose={close} />}
      {opened?.kind === 'users' && (
        <UsedBy type="transformation" reference={opened.transformation._id} onClose={close} />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete transformation"
          onClose={close}
          onConfirm={async () => {
            await api.transformations.deleteTransformation.mutate({ id: opened.transformation._id });
            await refresh();
          }}
        >
          The transformation “{nameText(opened.transformation.name)}” is deleted; values that it has made stay
          in their jobs. One that workflows or triggers use cannot be deleted: “Used by” lists them.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Returns a function that replaces a transformation, unless somebody else has changed it since it was read. */
function useReplace(transformation: Transformation) {
  const refresh = useRefresh(trpc.transformations.listTransformations.pathFilter());
  const [stamp, setStamp] = useState(transformation.lastUpdated);
  const { _id: id } = transformation;
  return async (update: Record<string, unknown>) => {
    await saveOver(
      stamp,
      // What the document holds is for the service to judge: it lists every issue by its path.
      (options) => api.transformations.updateTransformation.mutate({ id, update: update as Update }, options),
      async () => setStamp((await api.transformations.getTransformation.query({ id })).lastUpdated),
    );
    await refresh();
  };
}

type ChangeProps = { transformation: Transformation; onClose: () => void };

function ChangeDocument({ transformation, onClose }: ChangeProps) {
  const replace = useReplace(transformation);
  return (
    <DocumentDialog
      title="Change transformation"
      action="Save document"
      document={transformation}
      onClose={onClose}
      onSubmit={replace}
    />
  );
}

function Rename({ transformation, onClose }: ChangeProps) {
  const replace = useReplace(transformation);
  const [draft, change] = useDraft({
    name: transformation.name,
    description: transformation.description ?? '',
  });
  return (
    <FormDialog
      title="Rename transformation"
      action="Rename"
      isOpen
      onClose={onClose}
      isReady={draft.name.trim() !== ''}
      onSubmit={() => replace({ ...transformation, ...draft, name: draft.name.trim() })}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'description', label: 'Description' },
        ]}
      />
    </FormDialog>
  );
}
