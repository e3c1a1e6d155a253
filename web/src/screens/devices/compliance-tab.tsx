import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { reportPath } from '~/app/paths.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';

type Report = Outputs['configurationManager']['listReports'][number];

const TONES: Record<string, Tone> = { pass: 'good', review: 'warn', fail: 'bad' };

/** The compliance reports of a device, newest first, and the grade of the newest. */
export function ComplianceTab({ name }: { name: string }) {
  const input = { deviceName: name };
  useRefetchOn(trpc.configurationManager.listReports.pathFilter(), ({ topic }) =>
    topic.startsWith('compliance'),
  );
  return (
    <div className="column">
      <NewestGrade name={name} />
      <ListView
        title="Compliance reports"
        hasTextFilter={false}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        path={trpc.configurationManager.listReports.pathKey()}
        input={input}
        request={input}
        read={async (skip, limit) => ({
          rows: await api.configurationManager.listReports.query({ ...input, start: skip, limit }),
        })}
        empty={
          <Empty title="This device has never been checked">
            <p>Assign it to a node of a golden config, then run compliance.</p>
            <LinkButton to="/trees">Golden configs</LinkButton>
          </Empty>
        }
      />
    </div>
  );
}

function NewestGrade({ name }: { name: string }) {
  const newest = useQuery(trpc.configurationManager.listReports.queryOptions({ deviceName: name, limit: 1 }))
    .data?.[0];
  const isGraded = newest?.status === 'complete';
  const graded = useQuery(
    trpc.configurationManager.gradeReport.queryOptions({ reportId: newest?.id ?? '' }, { enabled: isGraded }),
  );
  if (!newest || !isGraded) return null;
  return (
    <QueryView query={graded} loading="Grading the newest report">
      {({ grade, score }) => (
        <p className="row">
          Newest grade: <Badge tone={TONES[grade] ?? 'neutral'}>{grade}</Badge> score {score},{' '}
          <Link {...reportPath(newest.id)}>open the report</Link>
        </p>
      )}
    </QueryView>
  );
}

const COLUMNS: Column<Report>[] = [
  {
    key: 'time',
    header: 'Checked',
    cell: ({ id, timestamp }) => (
      <Link {...reportPath(id)}>
        <Time value={timestamp} />
      </Link>
    ),
    field: 'timestamp',
  },
  {
    key: 'status',
    header: 'Outcome',
    wraps: ({ status }) => status === 'error',
    cell: ({ status, error }) =>
      status === 'error' ? (
        <span>
          <Badge tone="bad">not checked</Badge> {error ?? ''}
        </span>
      ) : (
        <Badge tone="good">checked</Badge>
      ),
    field: 'status',
  },
  {
    key: 'node',
    header: 'Node',
    cell: ({ nodePath, version }) => `${nodePath} (${version})`,
    field: 'nodePath',
  },
  {
    key: 'errors',
    header: 'Errors',
    isNumber: true,
    cell: ({ totals }) => totals.errors,
    field: 'totals.errors',
  },
  {
    key: 'warnings',
    header: 'Warnings',
    isNumber: true,
    cell: ({ totals }) => totals.warnings,
    field: 'totals.warnings',
  },
  {
    key: 'infos',
    header: 'Infos',
    isNumber: true,
    cell: ({ totals }) => totals.infos,
    field: 'totals.infos',
  },
  {
    key: 'passes',
    header: 'Passes',
    isNumber: true,
    cell: ({ totals }) => totals.passes,
    field: 'totals.passes',
  },
];
