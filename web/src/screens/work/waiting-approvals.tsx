import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { counted } from '~/ui/quantities.ts';
import { Arriving } from '~/ui/states.tsx';

/** Proposals and campaigns that wait for a second person, for those who may approve them; nothing while none waits. */
export function WaitingApprovals() {
  const may = useMay();
  const { countRemediations, listCampaigns } = trpc.configurationManager;
  const counts = useQuery(
    countRemediations.queryOptions({}, { enabled: may('configurationManager.approveRemediation') }),
  );
  const listed = useQuery(
    listCampaigns.queryOptions(
      { status: 'review', limit: 1 },
      { enabled: may('configurationManager.approveCampaign') },
    ),
  );
  useRefetchOn(
    countRemediations.pathFilter(),
    ({ topic, payload }) => topic === 'configurationChanged' && payload.kind === 'remediation',
  );
  useRunEvents('campaign', listCampaigns.pathFilter());
  const proposals = counts.data?.counts.proposed ?? 0;
  const campaigns = listed.data?.total ?? 0;
  if (counts.isLoading || listed.isLoading) return <Arriving />;
  if (proposals + campaigns === 0) return null;
  return (
    <section className="note" aria-label="Waiting for an approval">
      A person other than the author must approve{' '}
      {proposals > 0 && (
        <Link to="/proposals" search={{ tab: 'proposed' }}>
          {counted(proposals, 'proposal')}
        </Link>
      )}
      {proposals > 0 && campaigns > 0 && ' and '}
      {campaigns > 0 && <Link to="/campaigns">{counted(campaigns, 'campaign')}</Link>}.
    </section>
  );
}
