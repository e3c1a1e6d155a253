import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { campaignPath } from '~/app/paths.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { PathLink } from '~/ui/page.tsx';
import { selectionText } from '~/ui/selection/selection-draft.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { CampaignForm } from './campaign-form.tsx';

type Campaign = Outputs['configurationManager']['listCampaigns']['list'][number];

const TONES: Record<Campaign['status'], Tone> = {
  preparing: 'info',
  review: 'warn',
  approved: 'good',
  running: 'info',
  stopped: 'bad',
  complete: 'good',
  canceled: 'neutral',
  error: 'bad',
};

/** The state of a campaign in its colour. */
export const CampaignState = ({ status }: { status: Campaign['status'] }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
);

const COLUMNS: Column<Campaign>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ id, name }) => <Link {...campaignPath(id)}>{name}</Link>,
    field: 'name',
  },
  {
    key: 'status',
    header: 'State',
    wraps: ({ reason }) => reason !== '',
    cell: ({ status, reason }) => (
      <>
        <CampaignState status={status} /> {reason}
      </>
    ),
    field: 'status,reason:Why',
  },
  {
    key: 'devices',
    header: 'Devices',
    cell: ({ selection }) => selectionText(selection),
    field: 'selection',
  },
  { key: 'wave', header: 'Waves begun', isNumber: true, cell: ({ wave }) => wave, field: 'wave' },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
];

/** The campaigns, newest first. */
export function CampaignsPage() {
  const create = useCreate({
    label: 'Create campaign',
    needs: 'configurationManager.createCampaign',
    dialog: (onClose) => <CampaignForm onClose={onClose} />,
  });
  return (
    <>
      <ListPage
        title="Campaigns"
        pathTo={<PathLink to="/compliance">Compliance</PathLink>}
        actions={create.button}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        path={trpc.configurationManager.listCampaigns.pathKey()}
        input={{}}
        read={async (start, limit) => {
          const { list, total } = await api.configurationManager.listCampaigns.query({ start, limit });
          return { rows: list, total };
        }}
        hasTextFilter={false}
        runs="campaign"
        empty={
          <Empty title="There is no campaign yet" next={create.next}>
            <p>
              A campaign corrects many devices in waves: a proposal for each, an approval by a second person,
              and a stop when too many fail.
            </p>
          </Empty>
        }
      />
      {create.dialog}
    </>
  );
}
