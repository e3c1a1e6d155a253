import '../compliance.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { useTreeName } from '~/api/use-tree-name.ts';
import { campaignPath, devicePath, reportPath, treePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { PermittedLink } from '~/ui/permitted-link.tsx';
import { Time } from '~/ui/time.tsx';
import { countsText, scoreText, Verdict } from '../grade.tsx';
import { Changes, Manual } from './changes.tsx';
import { PreviewCard } from './preview.tsx';
import { ProposalActions, useProposalRights } from './proposal-actions.tsx';
import { concernsProposals, ProposalState } from './proposals-page.tsx';
import { ResultCard } from './result.tsx';

type Proposal = Outputs['configurationManager']['getRemediation'];

/** Screen 7: one proposal, from its commands to its result. */
export function ProposalPage() {
  const id = usePathParam('proposalId');
  const { getRemediation } = trpc.configurationManager;
  const query = useQuery(getRemediation.queryOptions({ id }));
  useRefetchOn(
    getRemediation.queryFilter({ id }),
    (event) => (concernsProposals(event) && event.payload._id === id) || event.topic === 'backupStored',
  );
  return (
    <LoadedPage
      query={query}
      title={`Proposal ${id}`}
      titleOf={({ deviceName }) => `Proposal for ${deviceName}`}
      path={
        <>
          <PathLink to="/compliance">Compliance</PathLink> / <PathLink to="/proposals">Proposals</PathLink>
        </>
      }
      actions={(proposal) => <ProposalActions proposal={proposal} />}
    >
      {(proposal) => <Body proposal={proposal} />}
    </LoadedPage>
  );
}

function Body({ proposal }: { proposal: Proposal }) {
  const { id, status, config, configSha256, rollback, manual } = proposal;
  const { canChange } = useProposalRights(proposal);
  const isPreviewed = status === 'proposed' || status === 'approved' || status === 'stale';
  return (
    <>
      <Notes proposal={proposal} />
      <Facts proposal={proposal} />
      <ResultCard proposal={proposal} />
      <div className="report-split">
        <Changes proposal={proposal} mayChange={canChange} />
        <section className="card" aria-labelledby="commands">
          <h2 id="commands">Exact commands</h2>
          <TextView label="Commands" text={config} fileName={`proposal-${id}.txt`} />
          <p className="small muted">
            SHA-256 <code className="hash">{configSha256}</code>
          </p>
          <details>
            <summary>Rollback</summary>
            <TextView label="Rollback commands" text={rollback} fileName={`rollback-${id}.txt`} />
          </details>
        </section>
      </div>
      <Manual items={manual} />
      {isPreviewed && <PreviewCard key={configSha256} id={id} />}
    </>
  );
}

/** What prevents the next step. */
function Notes({ proposal }: { proposal: Proposal }) {
  const { status, risk, reason } = proposal;
  const { isAuthor, mayApprove } = useProposalRights(proposal);
  return (
    <>
      {risk && (
        <p className="note" data-tone="bad">
          It cannot be approved: {risk}
        </p>
      )}
      {status === 'proposed' && isAuthor && (
        <p className="note" data-tone="warn">
          You made this proposal or selected its changes: another person must approve it.
        </p>
      )}
      {status === 'proposed' && !isAuthor && !mayApprove && (
        <p className="note">It waits for approval by an account with the role admin or engineering.</p>
      )}
      {status === 'stale' && (
        <p className="note" data-tone="warn">
          The configuration of the device has changed since: check it again and make a new proposal.
        </p>
      )}
      {status === 'expired' && (
        <p className="note" data-tone="warn">
          It was not applied in time: make a new proposal from the report.
        </p>
      )}
      {reason && <p className="note">Rejected: {reason}</p>}
    </>
  );
}

/** Returns the campaign that made a proposal; undefined for a proposal of its own. */
function useCampaignOf(remediationId: string) {
  const isAllowed = useMay()('configurationManager.listCampaigns');
  const { listCampaigns } = trpc.configurationManager;
  const input = { remediationId, limit: 1 };
  return useQuery(listCampaigns.queryOptions(input, { enabled: isAllowed })).data?.list[0];
}

function Facts({ proposal }: { proposal: Proposal }) {
  const { status, deviceName, treeId, version, nodePath, reportId, predicted, approvals, authors } = proposal;
  const nameOf = useNames();
  const campaign = useCampaignOf(proposal.id);
  const treeName = useTreeName(treeId);
  return (
    <section className="card" aria-label="About this proposal">
      <Details
        entries={[
          ['State', <ProposalState key="state" status={status} />],
          [
            'Device',
            <PermittedLink key="device" needs="configurationManager.getDevice" {...devicePath(deviceName)}>
              {deviceName}
            </PermittedLink>,
          ],
          [
            'Report',
            <PermittedLink key="report" needs="configurationManager.getReport" {...reportPath(reportId)}>
              The report that it remediates
            </PermittedLink>,
          ],
          [
            'Campaign',
            campaign && (
              <Link key="campaign" {...campaignPath(campaign.id)}>
                {campaign.name}
              </Link>
            ),
          ],
          [
            'Golden config',
            <PermittedLink
              key="tree"
              needs="configurationManager.getTree"
              {...treePath(treeId)}
              search={{ version, node: nodePath }}
            >
              {`${treeName ? `${treeName}, ` : ''}${version}, ${nodePath}`}
            </PermittedLink>,
          ],
          [
            'Predicted',
            <span key="predicted">
              <Verdict of={predicted.grade} /> {scoreText(predicted.score)} points,{' '}
              {countsText(predicted.totals)}
            </span>,
          ],
          ['Authors', authors.map(nameOf).join(', ')],
          ['Created', <Time key="created" value={proposal.created} />],
          ['Expires', <Time key="expires" value={proposal.expires} />],
          [
            'Approved',
            approvals.length === 0
              ? undefined
              : approvals.map(({ account, username, time, comment, configSha256 }) => (
                  <span key={`${account} ${time}`}>
                    by {username}, <Time value={time} /> {comment && `“${comment}” `}
                    {configSha256 !== proposal.configSha256 && '(of another text)'}
                  </span>
                )),
          ],
        ]}
      />
    </section>
  );
}
