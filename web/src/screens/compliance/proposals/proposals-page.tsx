import '../compliance.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import type { LiveEvent } from '~/api/live/live.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { proposalPath, reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { PathLink } from '~/ui/page.tsx';
import { PermittedLink } from '~/ui/permitted-link.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { countsText, Verdict } from '../grade.tsx';

type Proposal = Outputs['configurationManager']['getRemediation'];
type Status = Proposal['status'];
type Search = NonNullable<Inputs['configurationManager']['searchRemediations']['options']>;

const STATES: readonly Status[] = [
  'proposed',
  'approved',
  'applying',
  'applied',
  'failed',
  'rejected',
  'expired',
  'stale',
];
const TONES: Readonly<Record<Status, Tone>> = {
  proposed: 'info',
  approved: 'good',
  applying: 'info',
  applied: 'good',
  failed: 'bad',
  rejected: 'neutral',
  expired: 'warn',
  stale: 'warn',
};

/** The state of a proposal in its colour. */
export const ProposalState = ({ status }: { status: Status }) => <Badge tone={TONES[status]}>{status}</Badge>;

/** Whether an event changes what proposals show. */
export const concernsProposals = ({ topic, payload }: LiveEvent) =>
  topic === 'configurationChanged' && payload.kind === 'remediation';

const COLUMNS: Column<Proposal>[] = [
  {
    key: 'device',
    header: 'Device',
    sortField: 'deviceName',
    cell: ({ id, deviceName }) => <Link {...proposalPath(id)}>{deviceName}</Link>,
    field: 'deviceName',
  },
  {
    key: 'status',
    header: 'State',
    sortField: 'status',
    cell: ({ status }) => <ProposalState status={status} />,
    field: 'status',
  },
  {
    key: 'changes',
    header: 'Changes',
    isNumber: true,
    cell: ({ changes }) => `${changes.filter(({ selected }) => selected).length} of ${changes.length}`,
    field: 'changes.length',
  },
  {
    key: 'predicted',
    header: 'Predicted',
    cell: ({ predicted }) => (
      <>
        <Verdict of={predicted.grade} /> {countsText(predicted.totals)}
      </>
    ),
    field: 'predicted.grade',
  },
  {
    key: 'report',
    header: 'Report',
    cell: ({ reportId, nodePath }) => (
      <PermittedLink needs="configurationManager.getReport" {...reportPath(reportId)}>
        {nodePath}
      </PermittedLink>
    ),
    field: 'reportId',
  },
  {
    key: 'created',
    header: 'Created',
    sortField: 'created',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
  {
    key: 'expires',
    header: 'Expires',
    sortField: 'expires',
    cell: ({ expires }) => <Time value={expires} />,
    field: 'expires',
  },
];

type SortField = 'created' | 'expires' | 'deviceName' | 'status';
const isSortField = (name: string): name is SortField =>
  name === 'created' || name === 'expires' || name === 'deviceName' || name === 'status';

/** The proposals, by state. */
export function ProposalsPage() {
  const may = useMay();
  const [{ q, tab, sort }] = useUrlState();
  const status = STATES.find((name) => name === tab);
  const { field, order } = sortOf(sort) ?? { field: 'created', order: -1 };
  const input: Search = {
    filter: { text: q || undefined, status },
    sort: { [isSortField(field) ? field : 'created']: order },
  };
  const { searchRemediations, countRemediations } = trpc.configurationManager;
  useRefetchOn(searchRemediations.pathFilter(), concernsProposals);
  useRefetchOn(countRemediations.pathFilter(), concernsProposals);
  return (
    <ListPage
      title="Proposals"
      pathTo={<PathLink to="/compliance">Compliance</PathLink>}
      intro={<Tabs />}
      actions={
        may('configurationManager.listCampaigns') && <LinkButton to="/campaigns">Campaigns</LinkButton>
      }
      columns={COLUMNS}
      rowKey={({ id }) => id}
      path={searchRemediations.pathKey()}
      input={input}
      request={{ options: input }}
      defaultSort={{ field: 'created', order: -1 }}
      read={async (start, limit) => {
        const { list, total } = await api.configurationManager.searchRemediations.query({
          options: { ...input, start, limit },
        });
        return { rows: list, total };
      }}
      empty={
        <Empty title={status ? `No proposal is ${status}` : 'There is no proposal yet'}>
          <p>Open the report of a device with issues, and propose a remediation there.</p>
          {may('configurationManager.listReports') && <LinkButton to="/compliance">Compliance</LinkButton>}
        </Empty>
      }
    />
  );
}

function Tabs() {
  const [{ tab = '', q }] = useUrlState();
  const counts = useQuery(trpc.configurationManager.countRemediations.queryOptions({}));
  const of = (name: string) => (name ? (counts.data?.counts[name] ?? 0) : counts.data?.total);
  return (
    <nav className="tabs" aria-label="States">
      {['', ...STATES].map((name) => (
        <Link
          key={name}
          to="/proposals"
          search={{ q, tab: name || undefined }}
          activeOptions={{ includeSearch: true }}
          aria-current={tab === name ? 'page' : undefined}
        >
          {name || 'all'} <span className="muted count">{counts.data ? of(name) : '…'}</span>
        </Link>
      ))}
    </nav>
  );
}
