import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf, problemOfRead } from '~/api/problem.ts';
import { useSettled } from '~/api/use-settled.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { useEdits } from '~/ui/form/use-edits.ts';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';

type Stored = Outputs['configurationManager']['getBackupPolicy'];

/** Which backups are kept, with the number that a policy would remove. */
export function Policy() {
  const policy = useQuery(trpc.configurationManager.getBackupPolicy.queryOptions({}));
  return (
    <QueryView query={policy} loading="Loading the policy">
      {(stored) => <PolicyForm stored={stored} />}
    </QueryView>
  );
}

function PolicyForm({ stored }: { stored: Stored }) {
  const refresh = useRefresh(trpc.configurationManager.getBackupPolicy.pathFilter());
  const [draft, change, clear] = useEdits({
    count: String(stored.keep.count ?? ''),
    days: String(stored.keep.days ?? ''),
    isTaggedKept: stored.keepTagged ?? true,
  });
  const [isRunning, setRunning] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const policy = {
    keep: {
      ...(draft.count && { count: Number(draft.count) }),
      ...(draft.days && { days: Number(draft.days) }),
    },
    keepTagged: draft.isTaggedKept,
  };
  const preview = useQuery(
    trpc.configurationManager.previewBackupPolicy.queryOptions(useSettled(policy), {
      retry: false,
      staleTime: 0,
    }),
  );
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    setSaving(true);
    try {
      await api.configurationManager.replaceBackupPolicy.mutate(policy);
      showToast('The policy is stored: old backups are removed within the hour.');
      await refresh();
      clear();
    } catch (failure) {
      setError(failure);
    } finally {
      setSaving(false);
    }
  };
  return (
    <form className="card" aria-label="What is kept" onSubmit={save}>
      <p className="muted">
        A backup is kept when either rule applies to it; without rules, all are kept. The newest backup of a
        device is always kept.
      </p>
      <div className="columns narrow">
        <TextField
          label="Newest backups of each device"
          type="number"
          min={1}
          value={draft.count}
          onChange={(count) => change({ count })}
        />
        <TextField
          label="Days"
          type="number"
          min={1}
          value={draft.days}
          onChange={(days) => change({ days })}
        />
      </div>
      <Checkbox
        label="Keep backups with a tag"
        isChecked={draft.isTaggedKept}
        onChange={(isTaggedKept) => change({ isTaggedKept })}
      />
      <p role="status">
        {preview.data
          ? `${preview.data.expired.toLocaleString('en')} of ${preview.data.total.toLocaleString('en')} backups would be removed.`
          : preview.error
            ? problemOfRead(preview.error).message
            : 'Counting …'}
      </p>
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      <div className="row">
        <Button type="submit" variant="primary" isPending={isSaving}>
          Save
        </Button>
        <Button variant="danger" onPress={() => setRunning(true)}>
          Remove old backups now
        </Button>
      </div>
      {isRunning && (
        <ConfirmDialog
          action="Remove old backups"
          onClose={() => setRunning(false)}
          onConfirm={async () => {
            const { removed, left } = await api.configurationManager.runBackupPolicy.mutate({});
            showToast(
              `Removed ${removed} backups${left > 0 ? `; ${left} more follow within the hour` : ''}.`,
            );
            await refresh();
          }}
        >
          What the stored policy does not keep is permanently removed.
        </ConfirmDialog>
      )}
    </form>
  );
}
