import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import type { LiveEvent } from '~/api/live/live.ts';
import { useLiveEvents, useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, Progress, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Time } from '~/ui/time.tsx';

const TOPICS = ['complianceBatchFinished', 'complianceBatchStopped', 'complianceReportsStored'];
/** Batches shown at once; older ones have ended. */
const SHOWN = 5;

/** Whether an event ends a run, so that the newest reports are others. */
export const endsBatch = ({ topic }: LiveEvent) =>
  topic === 'complianceBatchFinished' || topic === 'complianceBatchStopped';

/** Progress of the runs started here and of running ones that other users started. */
export function Batches() {
  const [{ batch = '' }, setUrl] = useUrlState();
  const [seen, setSeen] = useState<readonly string[]>([]);
  useLiveEvents(({ topic, payload }) => {
    const { batchId } = payload;
    if (!TOPICS.includes(topic) || typeof batchId !== 'string') return;
    setSeen((before) => (before.includes(batchId) ? before : [batchId, ...before].slice(0, SHOWN)));
  });
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const started = batch.split(',').filter(Boolean);
  const shown = [...new Set([...started, ...seen])].filter((id) => !hidden.includes(id)).slice(0, SHOWN);
  if (shown.length === 0) return null;
  const hide = (id: string) => {
    setHidden([...hidden, id]);
    if (started.includes(id)) setUrl({ batch: started.filter((one) => one !== id).join(',') || undefined });
  };
  return (
    <section className="column" aria-label="Runs">
      {shown.map((id) => (
        <Batch key={id} id={id} onHide={() => hide(id)} />
      ))}
    </section>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  complete: 'good',
  canceled: 'warn',
  error: 'bad',
  running: 'info',
};

function Batch({ id, onHide }: { id: string; onHide: () => void }) {
  const may = useMay();
  const [isCancelling, setCancelling] = useState(false);
  const { getBatchStatus } = trpc.configurationManager;
  const { data } = useQuery(getBatchStatus.queryOptions({ batchId: id }));
  useRefetchOn(getBatchStatus.queryFilter({ batchId: id }), ({ payload }) => payload.batchId === id);
  const cancel = useMutation(trpc.configurationManager.cancelBatch.mutationOptions());
  if (!data) return null;
  const { status, done, total, errors, started, finished } = data;
  return (
    <div className="card batch">
      <Badge tone={TONES[status] ?? 'neutral'}>{status}</Badge>
      <Progress label={`Compliance run ${id}`} done={done} total={total} />
      {errors > 0 && <Badge tone="bad">{errors} could not be checked</Badge>}
      <span className="muted small">
        started <Time value={started} />
        {finished && (
          <>
            , ended <Time value={finished} />
          </>
        )}
      </span>
      {status === 'running'
        ? may('configurationManager.cancelBatch') && (
            <Button variant="danger" onPress={() => setCancelling(true)}>
              Cancel run
            </Button>
          )
        : null}
      <Button variant="quiet" aria-label="Hide this run" onPress={onHide}>
        ✕
      </Button>
      <FormDialog
        title="Cancel this run?"
        action="Cancel run"
        isDanger
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onSubmit={async () => {
          await cancel.mutateAsync({ batchId: id });
          showToast('The run was canceled.');
        }}
      >
        <p>
          {total - done} of {total} devices are not checked yet. The reports so far are kept.
        </p>
      </FormDialog>
    </div>
  );
}
