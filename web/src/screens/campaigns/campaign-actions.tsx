import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { ConfirmDialog, FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { devicesText } from '~/ui/selection/selection-field.tsx';
import { CampaignForm } from './campaign-form.tsx';

type Campaign = Outputs['configurationManager']['getCampaign'];

const ENDED: readonly Campaign['status'][] = ['stopped', 'complete', 'canceled', 'error'];

/** Statuses of devices that an ended campaign has left as they were. */
const REST = ['waiting', 'proposed', 'rolledBack', 'failed', 'skipped'] as const;

const countOf = ({ devices }: Campaign): number =>
  REST.reduce((sum, status) => sum + (devices[status] ?? 0), 0);

/** Returns the names of the devices that an ended campaign has left as they were. */
async function readRest({ id, devices }: Campaign): Promise<string[]> {
  const names: string[] = [];
  for (const status of REST) {
    for (let start = 0; start < (devices[status] ?? 0); start += PAGE) {
      const input = { id, status, start, limit: PAGE };
      const { list } = await api.configurationManager.listCampaignDevices.query(input);
      names.push(...list.map(({ device }) => device));
    }
  }
  return names.sort();
}

const PAGE = 1000;

/** Creates a campaign with the settings of an ended one, for the devices that it has not changed. */
function CreateForRest({ campaign }: { campaign: Campaign }) {
  const [devices, setDevices] = useState<string[]>();
  return (
    <>
      <Button onPress={() => readRest(campaign).then(setDevices).catch(showProblem)}>
        {`Create campaign for the other ${devicesText(countOf(campaign))}`}
      </Button>
      {devices && <CampaignForm rest={{ campaign, devices }} onClose={() => setDevices(undefined)} />}
    </>
  );
}

/** What may be done with a campaign in its present state. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const may = useMay();
  const me = useWhoAmI()?.id;
  const refresh = useRefresh(
    trpc.configurationManager.getCampaign.pathFilter(),
    trpc.configurationManager.listCampaigns.pathFilter(),
    trpc.configurationManager.listCampaignDevices.pathFilter(),
  );
  const [open, setOpen] = useState<'approve' | 'start' | 'cancel'>();
  const close = () => setOpen(undefined);
  const { id, status, createdBy, devices } = campaign;
  const proposed = devices.proposed ?? 0;
  return (
    <>
      {status === 'review' &&
        may('configurationManager.approveCampaign') &&
        (me === createdBy ? (
          <span className="muted">You created it: another person must approve it</span>
        ) : (
          <Button variant="primary" onPress={() => setOpen('approve')}>
            Approve
          </Button>
        ))}
      {status === 'approved' && may('configurationManager.startCampaign') && (
        <Button variant="primary" onPress={() => setOpen('start')}>
          Start
        </Button>
      )}
      {!ENDED.includes(status) && may('configurationManager.cancelCampaign') && (
        <Button variant="danger" onPress={() => setOpen('cancel')}>
          Cancel campaign
        </Button>
      )}
      {ENDED.includes(status) && countOf(campaign) > 0 && may('configurationManager.createCampaign') && (
        <CreateForRest campaign={campaign} />
      )}
      {open === 'approve' && <Approve campaign={campaign} refresh={refresh} onClose={close} />}
      {open === 'start' && (
        <FormDialog
          title="Start campaign"
          action={`Change ${devicesText(proposed)} in waves`}
          isOpen
          onClose={close}
          onSubmit={async () => {
            await api.configurationManager.startCampaign.mutate({ id });
            await refresh();
          }}
        >
          <p>
            Each device is backed up, changed and checked for your account. A change after which the check
            fails is rolled back, and the campaign stops when {devicesText(campaign.stopAfter ?? 1)} failed.
          </p>
        </FormDialog>
      )}
      {open === 'cancel' && (
        <ConfirmDialog
          action="Cancel campaign"
          onClose={close}
          onConfirm={async () => {
            await api.configurationManager.cancelCampaign.mutate({ id });
            await refresh();
          }}
        >
          Devices that are being changed are finished; changes that were made stay.
        </ConfirmDialog>
      )}
    </>
  );
}

type ApproveProps = { campaign: Campaign; refresh: () => Promise<unknown>; onClose: () => void };

/** Approves the texts that this page showed: their digest is sent along, and other texts are rejected. */
function Approve({ campaign: { id, digest, devices }, refresh, onClose }: ApproveProps) {
  const [seen] = useState(digest);
  const [comment, setComment] = useState('');
  return (
    <FormDialog
      title="Approve campaign"
      action={`Approve ${devices.proposed ?? 0} ${devices.proposed === 1 ? 'proposal' : 'proposals'}`}
      isOpen
      onClose={onClose}
      isReady={seen !== ''}
      onSubmit={async () => {
        await api.configurationManager.approveCampaign.mutate({
          id,
          digest: seen,
          ...(comment.trim() && { comment: comment.trim() }),
        });
        showToast('The campaign is approved.');
        await refresh();
      }}
    >
      <p>
        You approve the exact texts of the proposals listed on this page. A proposal that changes afterwards
        is not applied.
      </p>
      <p className="small">
        Digest <code>{seen}</code>
      </p>
      <TextField label="Comment" value={comment} onChange={setComment} autoFocus />
    </FormDialog>
  );
}
