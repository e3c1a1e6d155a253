import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Button } from '~/ui/button.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { FileField, parseJsonFile } from '~/ui/file-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';

type Prebuilt = Outputs['prebuilts']['listPrebuilts']['results'][number];
type Package = Inputs['prebuilts']['importPrebuilt']['prebuilt'];

const nameOf = ({ name }: Prebuilt): string => name;

/** The installed packages; an administrator installs and removes them. */
export function PrebuiltsPage() {
  const may = useMay();
  const queryClient = useQueryClient();
  const [{ q }] = useUrlState();
  const [removed, setRemoved] = useState<Prebuilt>();
  const input = q ? { contains: q, containsField: 'name' } : {};
  const refresh = () => queryClient.invalidateQueries(trpc.prebuilts.listPrebuilts.pathFilter());
  const create = useCreate({
    label: 'Install',
    first: 'Install the first one',
    needs: 'prebuilts.importPrebuilt',
    dialog: (onClose) => <Install onClose={onClose} onDone={refresh} />,
  });
  return (
    <>
      <ListPage<Prebuilt>
        title="Prebuilts"
        pathTo={<PathLink to="/projects">Projects</PathLink>}
        columns={[
          { key: 'name', header: 'Name', cell: (one) => nameOf(one), field: 'name' },
          {
            key: 'version',
            header: 'Version',
            cell: ({ version }) => version,
            field: 'version',
          },
          {
            key: 'remove',
            header: 'Actions',
            cell: (one) =>
              may('prebuilts.deletePrebuilt') && (
                <Button variant="quiet" onPress={() => setRemoved(one)}>
                  Remove
                </Button>
              ),
          },
        ]}
        rowKey={({ _id }) => String(_id)}
        path={trpc.prebuilts.listPrebuilts.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.prebuilts.listPrebuilts.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        actions={create.button}
        empty={
          <Empty title="No prebuilt is installed" next={create.next}>
            <p>Install a package file: its workflows, forms and transformations come with it.</p>
          </Empty>
        }
      />
      {create.dialog}
      {removed && <Remove prebuilt={removed} onClose={() => setRemoved(undefined)} onDone={refresh} />}
    </>
  );
}

function Install({ onClose, onDone }: { onClose: () => void; onDone: () => unknown }) {
  const [file, setFile] = useState<unknown>();
  const [overwrite, setOverwrite] = useState(false);
  const validate = async () => {
    try {
      const { message } = await api.prebuilts.validatePrebuilt.query({ prebuilt: file as Package });
      showToast(message || 'The package is valid.');
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <FormDialog
      title="Install a prebuilt"
      action="Install"
      isOpen
      onClose={onClose}
      isReady={file !== undefined}
      onSubmit={async () => {
        // The server judges what the file holds and lists every issue.
        const { message } = await api.prebuilts.importPrebuilt.mutate({
          prebuilt: file as Package,
          options: { overwrite },
        });
        showToast(message);
        setFile(undefined);
        await onDone();
      }}
    >
      <FileField
        label="Package file"
        accept=".json"
        onText={(text) => {
          const parsed = parseJsonFile(text);
          if ('problem' in parsed) showProblem(new Error(parsed.problem));
          setFile('value' in parsed ? parsed.value : undefined);
        }}
      />
      <Checkbox
        label="Replace the package of this name and existing assets of the same names"
        isChecked={overwrite}
        onChange={setOverwrite}
      />
      <Button onPress={validate} isDisabled={file === undefined}>
        Check without installing
      </Button>
    </FormDialog>
  );
}

function Remove({
  prebuilt,
  onClose,
  onDone,
}: {
  prebuilt: Prebuilt;
  onClose: () => void;
  onDone: () => unknown;
}) {
  const [deleteComponents, setDeleteComponents] = useState(false);
  return (
    <FormDialog
      title={`Remove ${nameOf(prebuilt)}?`}
      action="Remove"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.prebuilts.deletePrebuilt.mutate({ id: String(prebuilt._id), deleteComponents });
        await onDone();
      }}
    >
      <Checkbox
        label="Delete its workflows, forms and transformations too"
        isChecked={deleteComponents}
        onChange={setDeleteComponents}
      />
    </FormDialog>
  );
}
