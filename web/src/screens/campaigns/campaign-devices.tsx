import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { devicePath, proposalPath, reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Device = Outputs['configurationManager']['listCampaignDevices']['list'][number];
type Status = Device['status'];
type Counts = Outputs['configurationManager']['getCampaign']['devices'];

const STATES: readonly { status: Status; label: string; tone: Tone }[] = [
  { status: 'waiting', label: 'waiting', tone: 'neutral' },
  { status: 'proposed', label: 'proposed', tone: 'info' },
  { status: 'nothing', label: 'nothing to change', tone: 'neutral' },
  { status: 'applying', label: 'applying', tone: 'info' },
  { status: 'applied', label: 'applied', tone: 'good' },
  { status: 'rolledBack', label: 'rolled back', tone: 'bad' },
  { status: 'failed', label: 'failed', tone: 'bad' },
  { status: 'skipped', label: 'skipped', tone: 'warn' },
];

/** How many devices are in which state: `3 applied, 2 rolled back`. */
export const countsText = (counts: Counts): string =>
  STATES.filter(({ status }) => counts[status])
    .map(({ status, label }) => `${counts[status]?.toLocaleString('en')} ${label}`)
    .join(', ') || 'none';

const COLUMNS: Column<Device>[] = [
  {
    key: 'device',
    header: 'Device',
    cell: ({ device }) => <Link to={devicePath(device)}>{visibleText(device)}</Link>,
    field: 'device',
  },
  {
    key: 'status',
    header: 'State',
    cell: ({ status }) => {
      const known = STATES.find((state) => state.status === status);
      return <Badge tone={known?.tone ?? 'neutral'}>{known?.label ?? status}</Badge>;
    },
    field: 'status',
  },
  { key: 'wave', header: 'Wave', isNumber: true, cell: ({ wave }) => wave ?? '–', field: 'wave' },
  {
    key: 'proposal',
    header: 'Proposal',
    cell: ({ device, remediationId }) =>
      remediationId ? (
        <Link to={proposalPath(remediationId)} aria-label={`open the proposal for ${device}`}>
          open
        </Link>
      ) : (
        '–'
      ),
  },
  {
    key: 'report',
    header: 'Report',
    cell: ({ device, reportId }) => (
      <Link to={reportPath(reportId)} aria-label={`open the report of ${device}`}>
        open
      </Link>
    ),
  },
  {
    key: 'reason',
    header: 'What happened',
    wraps: true,
    cell: ({ reason }) => visibleText(reason),
    field: 'reason',
  },
];

type CampaignDevicesProps = { id: string; counts: Counts; isUnderWay: boolean };

/** The devices of a campaign, by state; each number leads to its devices. */
export function CampaignDevices({ id, counts, isUnderWay }: CampaignDevicesProps) {
  const [{ state }] = useUrlState();
  const status = STATES.find((one) => one.status === state)?.status;
  const refresh = useRefresh(trpc.configurationManager.listCampaignDevices.pathFilter());
  const progress = JSON.stringify(counts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list follows the numbers of the campaign
  useEffect(() => {
    void refresh();
  }, [progress, isUnderWay]);
  const input = { id, ...(status && { status }) };
  return (
    <>
      <nav className="tabs" aria-label="States of devices">
        {[{ status: undefined, label: 'all' }, ...STATES]
          .filter((one) => one.status === undefined || (counts[one.status] ?? 0) > 0 || one.status === status)
          .map((one) => (
            <Link
              key={one.label}
              to="."
              search={(one.status ? { state: one.status } : {}) as never}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={one.status === status ? 'page' : undefined}
            >
              {one.label} {one.status && <span className="muted">{counts[one.status] ?? 0}</span>}
            </Link>
          ))}
      </nav>
      <ListView
        title="Devices of the campaign"
        columns={COLUMNS}
        rowKey={({ device }) => device}
        path={trpc.configurationManager.listCampaignDevices.pathKey()}
        input={input}
        request={input}
        read={async (start, limit) => {
          const { list, total } = await api.configurationManager.listCampaignDevices.query({
            ...input,
            start,
            limit,
          });
          return { rows: list, total };
        }}
        hasTextFilter={false}
        empty={<Empty title="The campaign has no device" />}
      />
    </>
  );
}
