import '../compliance/compliance.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { campaignPath, proposalPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useUrlState } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { ChangeText } from '../compliance/proposals/changes.tsx';
import { ExactText, RejectDialog, useProposalRights } from '../compliance/proposals/proposal-actions.tsx';
import { concernsProposals, ProposalState } from '../compliance/proposals/proposals-page.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { waveText } from './device-states.ts';

type Campaign = Outputs['configurationManager']['getCampaign'];
type Device = Outputs['configurationManager']['listCampaignDevices']['list'][number];
type Proposal = Outputs['configurationManager']['getRemediation'];

/** Proposals on one page. */
const SHOWN = 10;

/** All proposals of a campaign below each other, for the person who approves their exact texts. */
export function ReviewPage() {
  const id = usePathParam('campaignId');
  const campaign = useQuery(trpc.configurationManager.getCampaign.queryOptions({ id }, IN_BACKGROUND));
  useRunEvents('campaign', trpc.configurationManager.getCampaign.queryFilter({ id }));
  return (
    <LoadedPage
      query={campaign}
      title="Proposals of a campaign"
      titleOf={({ name }) => `Proposals of ${name}`}
      path={
        <>
          <PathLink to="/compliance">Compliance</PathLink> / <PathLink to="/campaigns">Campaigns</PathLink> /{' '}
          <PathLink {...campaignPath(id)}>{campaign.data?.name ?? 'Campaign'}</PathLink>
        </>
      }
      actions={(data) => <CampaignActions campaign={data} />}
    >
      {(data) => <Proposals campaign={data} />}
    </LoadedPage>
  );
}

function Proposals({ campaign: { id } }: { campaign: Campaign }) {
  const [{ from = '0' }] = useUrlState();
  const start = Math.max(0, Math.floor(Number(from)) || 0);
  const { listCampaignDevices } = trpc.configurationManager;
  const devices = useQuery(listCampaignDevices.queryOptions({ id, hasProposal: true, start, limit: SHOWN }));
  return (
    <QueryView query={devices} loading="Loading proposals">
      {({ list, total }) =>
        list.length === 0 ? (
          <Empty title="The campaign has no proposal here" />
        ) : (
          <>
            <Pages start={start} shown={list.length} total={total} />
            {list.map((device) => (
              <Review key={device.device} device={device} />
            ))}
            {total > SHOWN && <Pages start={start} shown={list.length} total={total} />}
          </>
        )
      }
    </QueryView>
  );
}

function Pages({ start, shown, total }: { start: number; shown: number; total: number }) {
  const at = (from: number) => ({ from: from > 0 ? String(from) : undefined });
  return (
    <div className="row">
      <span className="muted">
        {start + 1} to {start + shown} of {total.toLocaleString('en')}, by the names of the devices
      </span>
      {start > 0 && (
        <LinkButton to="." search={at(Math.max(0, start - SHOWN))}>
          Previous {SHOWN}
        </LinkButton>
      )}
      {start + shown < total && (
        <LinkButton to="." search={at(start + SHOWN)}>
          Next {Math.min(SHOWN, total - start - shown)}
        </LinkButton>
      )}
    </div>
  );
}

function Review({ device }: { device: Device }) {
  const id = device.remediationId ?? '';
  const { getRemediation } = trpc.configurationManager;
  const proposal = useQuery(getRemediation.queryOptions({ id }));
  useRefetchOn(
    getRemediation.queryFilter({ id }),
    (event) => concernsProposals(event) && event.payload._id === id,
  );
  const name = device.device;
  const heading = `review-${id}`;
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="page-head">
        <h2 id={heading}>
          <Link {...proposalPath(id)}>Proposal for {name}</Link>
        </h2>
        <span className="row">
          {proposal.data && <ProposalState status={proposal.data.status} />}
          <span className="muted">wave {waveText(device)}</span>
          {proposal.data && <Reject proposal={proposal.data} />}
        </span>
      </div>
      <QueryView query={proposal} loading={`Loading the proposal for ${name}`}>
        {(loaded) => <Texts proposal={loaded} />}
      </QueryView>
    </section>
  );
}

/** Rejects one of the proposals: its device is then skipped when the campaign is approved. */
function Reject({ proposal }: { proposal: Proposal }) {
  const [isOpen, setOpen] = useState(false);
  const { canReject } = useProposalRights(proposal);
  return (
    <>
      {canReject && proposal.status === 'proposed' && (
        <Button aria-label={`Reject the proposal for ${proposal.deviceName}`} onPress={() => setOpen(true)}>
          Reject
        </Button>
      )}
      {isOpen && <RejectDialog proposal={proposal} onClose={() => setOpen(false)} />}
    </>
  );
}

function Texts({ proposal }: { proposal: Proposal }) {
  const { changes, manual, risk, reason, config, configSha256, deviceName } = proposal;
  const selected = changes.filter((change) => change.selected);
  return (
    <>
      {risk && (
        <p className="note" data-tone="bad">
          It cannot be approved, and its device is skipped: {risk}
        </p>
      )}
      {reason && <p className="note">Rejected: {reason}</p>}
      <div className="report-split">
        <div>
          <h3>
            {selected.length} of {changes.length} changes
          </h3>
          <ul className="plain">
            {selected.map((change) => (
              <li key={change.id}>
                <ChangeText change={change} />
              </li>
            ))}
          </ul>
          {manual.length > 0 && (
            <p className="muted small">
              {manual.length} {manual.length === 1 ? 'issue' : 'issues'} to decide by hand
            </p>
          )}
        </div>
        <div>
          <h3>Exact commands</h3>
          <ExactText label={`Exact commands for ${deviceName}`} text={config} hash={configSha256} />
        </div>
      </div>
    </>
  );
}
