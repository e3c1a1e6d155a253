import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { useTreeName } from '~/api/use-tree-name.ts';
import { reviewPath, treePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Progress } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { selectionText } from '~/ui/selection/selection-draft.ts';
import { Announced } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignDevices } from './campaign-devices.tsx';
import { CampaignWaves } from './campaign-waves.tsx';
import { CampaignState } from './campaigns-page.tsx';
import { countsText } from './device-states.ts';

type Campaign = Outputs['configurationManager']['getCampaign'];

const isUnderWay = ({ status }: Campaign) => status === 'preparing' || status === 'running';

/** What the lists of waves and devices follow. */
const progressOf = ({ devices, status, wave, nextWave }: Campaign) =>
  JSON.stringify([devices, status, wave, nextWave]);

/** Statuses of devices on which a campaign does nothing more. */
const ENDED = ['applied', 'rolledBack', 'failed', 'skipped', 'nothing'] as const;

/** One campaign: its waves with their progress, its stop rule, its approval and its devices. */
export function CampaignPage() {
  const id = usePathParam('campaignId');
  const may = useMay();
  const campaign = useQuery(trpc.configurationManager.getCampaign.queryOptions({ id }, IN_BACKGROUND));
  useRunEvents('campaign', trpc.configurationManager.getCampaign.queryFilter({ id }));
  return (
    <LoadedPage
      query={campaign}
      title="Campaign"
      titleOf={({ name }) => name}
      path={
        <>
          <PathLink to="/compliance">Compliance</PathLink> / <PathLink to="/campaigns">Campaigns</PathLink>
        </>
      }
      actions={(data) => (
        <>
          {data.status !== 'preparing' && may('configurationManager.getRemediation') && (
            <LinkButton {...reviewPath(id)}>Review proposals</LinkButton>
          )}
          <CampaignActions campaign={data} />
        </>
      )}
    >
      {(data) => (
        <>
          <Summary campaign={data} />
          <CampaignWaves id={id} progress={progressOf(data)} />
          <h2>Devices</h2>
          <CampaignDevices id={id} counts={data.devices} progress={progressOf(data)} />
        </>
      )}
    </LoadedPage>
  );
}

function Summary({ campaign }: { campaign: Campaign }) {
  const nameOf = useNames();
  const treeName = useTreeName(campaign.treeId);
  const { devices, status, reason, waves = [1, 10, 100], wave, stopAfter = 1 } = campaign;
  const total = Object.values(devices).reduce((sum, count) => sum + count, 0);
  const done = ENDED.reduce((sum, name) => sum + (devices[name] ?? 0), 0);
  const failed = (devices.failed ?? 0) + (devices.rolledBack ?? 0);
  return (
    <section className="card" aria-label="Summary">
      <Announced status={status} />
      {reason && (
        <div className="note" data-tone={status === 'stopped' || status === 'error' ? 'bad' : 'warn'}>
          <p>{reason}</p>
          {status === 'stopped' && (
            <p>
              Nothing more is changed. Applied changes stay; the list below says what happened to the other
              devices. Correct the cause, then create a campaign for these devices.
            </p>
          )}
        </div>
      )}
      {status === 'review' && (
        <p className="note" data-tone="warn">
          A person other than its author must approve the exact texts of all proposals.
        </p>
      )}
      <Details
        entries={[
          ['State', <CampaignState key="state" status={status} />],
          [
            'Devices',
            isUnderWay(campaign) ? (
              <Progress key="progress" label="Devices of the campaign" done={done} total={total} />
            ) : (
              countsText(devices)
            ),
          ],
          [
            'Golden config',
            treeName && (
              <Link key="tree" {...treePath(campaign.treeId)}>
                {treeName}
              </Link>
            ),
          ],
          ['Selection', selectionText(campaign.selection)],
          ['Waves', `${wave} begun; devices of each: ${waves.join(', ')}`],
          ['Next wave', campaign.nextWave && <Time key="next" value={campaign.nextWave} />],
          ['Stop rule', `${failed} failed or rolled back; it stops at ${stopAfter}`],
          ['Severities', campaign.severities?.join(', ') ?? 'all'],
          ['Created by', nameOf(campaign.createdBy)],
          ['Approved by', campaign.approvedBy && nameOf(campaign.approvedBy)],
          ['Started by', campaign.startedBy && nameOf(campaign.startedBy)],
          ['Digest of the texts', campaign.digest && <code key="digest">{campaign.digest}</code>],
        ]}
      />
    </section>
  );
}
