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

/** Starts a push or pull; without a further choice it is a dry run, which writes nothing. */
export function StartRun({ remoteId, action, overwrite = [], branch: before, onClose }: StartRunProps) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.git.listRuns.pathFilter());
  const [isDryRun, setDryRun] = useState(overwrite.length === 0);
  const [branch, setBranch] = useState(before ?? '');
  const verb = action === 'push' ? 'Push' : 'Pull';
  return (
    <FormDialog
      title={`${verb} documents`}
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
        await navigate({ to: gitRunPath(runId) });
      }}
    >
      <p>
        {action === 'push'
          ? 'Documents that changed here are committed, one commit each. One that the repository changed too is a conflict, and is not pushed.'
          : 'Documents that changed in the repository are stored. One that was changed here too is a conflict, and is not stored.'}
      </p>
      {overwrite.length > 0 && (
        <p className="note" data-tone="warn">
          {overwrite.length === 1 ? 'One document replaces' : `${overwrite.length} documents replace`} the
          other side: {overwrite.join(', ')}
        </p>
      )}
      <Checkbox label="Dry run: nothing is written" isChecked={isDryRun} onChange={setDryRun} />
      {action === 'push' && (
        <TextField
          label="Branch of a proposal"
          hint="Empty: the branch of the remote"
          value={branch}
          onChange={setBranch}
        />
      )}
    </FormDialog>
  );
}
