import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { gitRunPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type StartRunProps = {
  remoteId: string;
  action: 'push' | 'pull';
  /** Files whose conflict is settled: what this run brings replaces the other side. */
  overwrite?: readonly string[];
  /** The branch of a run whose conflicts are settled. */
  branch?: string;
  onClose: () => void;
};

/** What settling conflicts means, by the run that does it. */
const SETTLES = {
  push: {
    title: 'Keep what is here',
    text: 'A push replaces what the repository has with what is here. Everything else that changed here is pushed as well.',
  },
  pull: {
    title: 'Take what is in the repository',
    text: 'A pull replaces what is here with what the repository has. Everything else that changed there is stored as well.',
  },
} as const;

/** Starts a push or pull; without a further choice it is a dry run, which writes nothing. */
export function StartRun({ remoteId, action, overwrite = [], branch: before, onClose }: StartRunProps) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.git.listRuns.pathFilter());
  const [isDryRun, setDryRun] = useState(overwrite.length === 0);
  const [branch, setBranch] = useState(before ?? '');
  const verb = action === 'push' ? 'Push' : 'Pull';
  return (
    <FormDialog
      title={overwrite.length > 0 ? SETTLES[action].title : `${verb} documents`}
      action={isDryRun ? `Try the ${action}` : verb}
      isDanger={!isDryRun && overwrite.length > 0}
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const settled = {
          id: remoteId,
          dryRun: isDryRun,
          ...(overwrite.length > 0 && { overwrite: [...overwrite] }),
        };
        const { runId } =
          action === 'push'
            ? await api.git.push.mutate({ ...settled, ...(branch.trim() && { branch: branch.trim() }) })
            : await api.git.pull.mutate(settled);
        await refresh();
        await navigate(gitRunPath(runId));
      }}
    >
      <p>
        {overwrite.length > 0
          ? SETTLES[action].text
          : action === 'push'
            ? 'Documents that changed here are committed, one commit each. One that the repository changed too is a conflict, and is not pushed.'
            : 'Documents that changed in the repository are stored. One that was changed here too is a conflict, and is not stored.'}
      </p>
      {overwrite.length > 0 && (
        <div className="note" data-tone="warn">
          <p>
            {overwrite.length === 1 ? 'One document replaces' : `${overwrite.length} documents replace`} the
            other side:
          </p>
          <ul>
            {overwrite.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </div>
      )}
      <Checkbox label="Dry run: nothing is written" isChecked={isDryRun} onChange={setDryRun} />
      {action === 'push' && (
        <TextField
          label="Branch of a proposal"
          hint="Default: the branch of the remote"
          value={branch}
          onChange={setBranch}
        />
      )}
    </FormDialog>
  );
}
