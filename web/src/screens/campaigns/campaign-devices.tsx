import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useFollowedBy } from '~/api/use-followed-by.ts';
import { devicePath, proposalPath, reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { PermittedLink } from '~/ui/permitted-link.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { type Counts, STATES, waveText } from './device-states.ts';

type Device = Outputs['configurationManager']['listCampaignDevices']['list'][number];

const COLUMNS: Column<Device>[] = [
  {
    key: 'device',
    header: 'Device',
    cell: ({ device }) => (
      <PermittedLink needs="configurationManager.getDevice" {...devicePath(device)}>
        {device}
      </PermittedLink>
    ),
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
  { key: 'wave', header: 'Wave', cell: waveText, field: 'wave,plannedWave' },
  {
    key: 'proposal',
    header: 'Proposal',
    cell: ({ device, remediationId }) =>
      remediationId ? (
        <Link {...proposalPath(remediationId)} aria-label={`open the proposal for ${device}`}>
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
      <PermittedLink
        needs="configurationManager.getReport"
        {...reportPath(reportId)}
        aria-label={`open the report of ${device}`}
      >
        open
      </PermittedLink>
    ),
  },
  {
    key: 'reason',
    header: 'What happened',
    wraps: true,
    cell: ({ reason }) => reason,
    field: 'reason',
  },
];

type CampaignDevicesProps = { id: string; counts: Counts; progress: string };

/** The devices of a campaign, by state or of one wave; each number leads to its devices. */
export function CampaignDevices({ id, counts, progress }: CampaignDevicesProps) {
  const [{ state, wave }] = useUrlState();
  const status = STATES.find((one) => one.status === state)?.status;
  useFollowedBy(trpc.configurationManager.listCampaignDevices.pathFilter(), progress);
  const number = /^[1-9]\d{0,5}$/.test(wave ?? '') ? Number(wave) : undefined;
  const input = { id, ...(status && { status }), ...(number && { wave: number }) };
  return (
    <>
      <nav className="tabs" aria-label="States of devices">
        {[{ status: undefined, label: 'all' }, ...STATES]
          .filter((one) => one.status === undefined || (counts[one.status] ?? 0) > 0 || one.status === status)
          .map((one) => (
            <Link
              key={one.label}
              to="."
              search={{ state: one.status }}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={one.status === status && number === undefined ? 'page' : undefined}
            >
              {one.label} {one.status && <span className="muted">{counts[one.status] ?? 0}</span>}
            </Link>
          ))}
        {number && (
          <Link to="." search={{ wave: String(number) }} aria-current="page">
            wave {number}
          </Link>
        )}
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
