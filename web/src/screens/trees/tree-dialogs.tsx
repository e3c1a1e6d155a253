import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inputs, trpc } from '~/api/client.ts';
import { Checkbox, TextArea, TextField } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';

type Imported = Inputs['configurationManager']['importTrees']['trees'];

const useRefreshTrees = () => {
  const queryClient = useQueryClient();
  const { searchTrees, listTrees, getTree, getVersion, getNode, exportTree } = trpc.configurationManager;
  return () =>
    Promise.all(
      [searchTrees, listTrees, getTree, getVersion, getNode, exportTree].map((procedure) =>
        queryClient.invalidateQueries(procedure.pathFilter()),
      ),
    );
};

/** Creates a tree with its root node. */
export function CreateTreeDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (id: string) => void;
}) {
  const refresh = useRefreshTrees();
  const parsers = useQuery(trpc.configurationManager.listParsers.queryOptions({}));
  const [name, setName] = useState('');
  const [deviceType, setDeviceType] = useState('');
  const [description, setDescription] = useState('');
  return (
    <FormDialog
      title="Create a golden config"
      action="Create"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && deviceType !== ''}
      onSubmit={async () => {
        const { treeId } = await api.configurationManager.createTree.mutate({
          name: name.trim(),
          deviceType,
          description: description || undefined,
        });
        await refresh();
        onCreated(treeId);
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <SelectField
        label="Device type"
        hint="The parser that reads the configurations."
        value={deviceType}
        choices={[
          { value: '', label: 'Choose one' },
          ...(parsers.data ?? []).map((parser) => ({ value: parser.name, label: parser.name })),
        ]}
        onChange={setDeviceType}
        from={parsers}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}

/** Imports trees from a file that an export wrote. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const refresh = useRefreshTrees();
  const [text, setText] = useState('');
  const [isReplacing, setReplacing] = useState(false);
  return (
    <FormDialog
      title="Import golden configs"
      action="Import"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={text.trim() !== ''}
      onSubmit={async () => {
        const trees = treesIn(text).map((tree) => (isReplacing ? { ...tree, overwrite: true } : tree));
        const { message } = await api.configurationManager.importTrees.mutate({ trees });
        await refresh();
        showToast(message);
      }}
    >
      <label className="field">
        <span className="field-label">File</span>
        <input
          type="file"
          accept="application/json,.json"
          onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
        />
      </label>
      <TextArea label="Or its text" isCode rows={8} value={text} onChange={setText} />
      <Checkbox
        label="Replace trees of the same name; versions missing in the file are deleted"
        isChecked={isReplacing}
        onChange={setReplacing}
      />
    </FormDialog>
  );
}

/** Reads one export, or a list of them; the server checks what is in it. */
function treesIn(text: string): Imported {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (Array.isArray(parsed) ? parsed : [parsed]) as Imported;
}

/** Copies a version to a new one. */
export function BranchDialog({
  treeId,
  base,
  onClose,
  onCreated,
}: {
  treeId: string;
  base: string;
  onClose: () => void;
  onCreated: (version: string) => void;
}) {
  const refresh = useRefreshTrees();
  const [version, setVersion] = useState('');
  return (
    <FormDialog
      title={`Branch version ${base}`}
      action="Create version"
      isOpen
      onClose={onClose}
      isReady={version.trim() !== ''}
      onSubmit={async () => {
        await api.configurationManager.createVersion.mutate({ treeId, base, version: version.trim() });
        await refresh();
        onCreated(version.trim());
      }}
    >
      <p>All nodes, rules, devices and variables of {base} are copied.</p>
      <TextField label="Name of the new version" value={version} onChange={setVersion} isRequired autoFocus />
    </FormDialog>
  );
}

/** Renames a tree. */
export function RenameDialog({
  treeId,
  name,
  onClose,
}: {
  treeId: string;
  name: string;
  onClose: () => void;
}) {
  const refresh = useRefreshTrees();
  const [next, setNext] = useState(name);
  return (
    <FormDialog
      title="Rename golden config"
      action="Rename"
      isOpen
      onClose={onClose}
      isReady={next.trim() !== ''}
      onSubmit={async () => {
        await api.configurationManager.updateTree.mutate({ treeId, options: { name: next.trim() } });
        await refresh();
      }}
    >
      <TextField label="Name" value={next} onChange={setNext} isRequired autoFocus />
    </FormDialog>
  );
}

/** Deletes a version, or the whole tree. */
export function DeleteDialog({
  treeId,
  name,
  version,
  onClose,
  onDeleted,
}: {
  treeId: string;
  name: string;
  /** Absent: the whole tree. */
  version?: string | undefined;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const refresh = useRefreshTrees();
  return (
    <FormDialog
      title={version === undefined ? `Delete ${name}?` : `Delete version ${version} of ${name}?`}
      action="Delete"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        if (version === undefined) await api.configurationManager.deleteTree.mutate({ treeId });
        else await api.configurationManager.deleteVersion.mutate({ treeId, version });
        onDeleted();
        await refresh();
      }}
    >
      <p>Its nodes and rules are deleted too. Reports and backups stay.</p>
    </FormDialog>
  );
}

type Place = { treeId: string; version: string; nodePath: string };

/** Adds a node below another one, renames one, or deletes one with all nodes below it. */
export function NodeDialog({
  place: { treeId, version, nodePath },
  action,
  onClose,
  onDone,
}: {
  place: Place;
  action: 'add' | 'rename' | 'delete';
  onClose: () => void;
  /** Gets the path of the node to show afterwards. */
  onDone: (path: string) => void;
}) {
  const refresh = useRefreshTrees();
  const [above, own] = [nodePath.split('/').slice(0, -1).join('/'), nodePath.split('/').at(-1) ?? ''];
  const [name, setName] = useState(action === 'rename' ? own : '');
  const submit = async () => {
    const node = { treeId, version };
    const wanted = name.trim();
    const { createNode, updateNode, deleteNode } = api.configurationManager;
    if (action === 'add') await createNode.mutate({ ...node, parentNodePath: nodePath, name: wanted });
    if (action === 'rename') await updateNode.mutate({ ...node, nodePath, name: wanted });
    if (action === 'delete') await deleteNode.mutate({ ...node, nodePath });
    onDone(
      action === 'add'
        ? `${nodePath}/${wanted}`
        : action === 'delete'
          ? above
          : above
            ? `${above}/${wanted}`
            : wanted,
    );
    await refresh();
  };
  const titles = {
    add: `Add a node below ${nodePath}`,
    rename: `Rename ${nodePath}`,
    delete: `Delete ${nodePath}?`,
  };
  const verbs = { add: 'Add node', rename: 'Rename', delete: 'Delete' };
  return (
    <FormDialog
      title={titles[action]}
      action={verbs[action]}
      isDanger={action === 'delete'}
      isOpen
      onClose={onClose}
      isReady={action === 'delete' || name.trim() !== ''}
      onSubmit={submit}
    >
      {action === 'delete' ? (
        <p>All nodes below it, their rules and their assignments of devices are deleted too.</p>
      ) : (
        <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      )}
    </FormDialog>
  );
}
