import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { useFollowedBy } from '~/api/use-followed-by.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { countsText } from './device-states.ts';

type Wave = Outputs['configurationManager']['listCampaignWaves']['list'][number];

const TONES: Record<Wave['status'], Tone> = { planned: 'neutral', running: 'info', ended: 'good' };

/** Most waves that the page lists. */
const SHOWN = 50;

const COLUMNS: Column<Wave>[] = [
  {
    key: 'wave',
    header: 'Wave',
    cell: ({ wave }) => (
      <Link to="." search={{ wave: String(wave) }} aria-label={`the devices of wave ${wave}`}>
        {wave}
      </Link>
    ),
  },
  {
    key: 'status',
    header: 'State',
    cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge>,
  },
  { key: 'devices', header: 'Devices', wraps: true, cell: ({ devices }) => countsText(devices) },
];

/** The waves of a campaign, those that have begun and those that come, with the state of their devices. */
export function CampaignWaves({ id, progress }: { id: string; progress: string }) {
  const waves = useQuery(trpc.configurationManager.listCampaignWaves.queryOptions({ id, limit: SHOWN }));
  useFollowedBy(trpc.configurationManager.listCampaignWaves.pathFilter(), progress);
  return (
    <QueryView query={waves} loading="Loading waves">
      {({ list, total }) =>
        list.length === 0 ? null : (
          <section aria-labelledby="waves">
            <h2 id="waves">Waves</h2>
            <DataTable
              label="Waves"
              columns={COLUMNS}
              rows={list}
              rowKey={({ wave }) => String(wave)}
              total={total}
            />
            {list.length < total && (
              <p className="muted">
                The first {list.length} of {total.toLocaleString('en')} waves.
              </p>
            )}
          </section>
        )
      }
    </QueryView>
  );
}
