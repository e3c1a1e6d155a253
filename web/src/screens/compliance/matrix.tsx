import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { countsText, scoreText, Verdict } from './grade.tsx';
import type { Slice } from './slice.tsx';

type Matrix = Outputs['configurationManager']['getMatrix'];
type Row = Matrix['list'][number];
type Spec = Matrix['specs'][number];
type Grade = Row['grade'];

const DEVICE: Column<Row>[] = [
  {
    key: 'device',
    header: 'Device',
    cell: ({ deviceName, reportId }) => <Link {...reportPath(reportId)}>{deviceName}</Link>,
    field: 'deviceName',
  },
  {
    key: 'grade',
    header: 'Grade',
    cell: ({ grade }) => <Verdict of={grade} />,
    field: 'grade',
  },
  {
    key: 'score',
    header: 'Score',
    isNumber: true,
    cell: ({ score }) => scoreText(score),
    field: 'score',
  },
  {
    key: 'timestamp',
    header: 'Checked',
    cell: ({ timestamp }) => <Time value={timestamp} />,
    field: 'timestamp',
  },
];

const SUBJECT = ['tree', 'version', 'node', 'group', 'batch'];

const isGrade = (word: string | undefined): word is Grade =>
  word === 'pass' || word === 'review' || word === 'fail';

/** Devices against the rules of each node, root first; each cell opens the report at the issues of that node. */
export function Matrix({ slice }: { slice: Slice }) {
  const [{ q, grade }, setUrl] = useUrlState();
  const input = { ...slice, deviceName: q || undefined, grade: isGrade(grade) ? grade : undefined };
  const columns = useQuery(trpc.configurationManager.getMatrix.queryOptions({ ...slice, limit: 1 }));
  return (
    <section className="column" id="matrix" aria-label="Devices">
      <h2>Devices by rules</h2>
      <ListView
        title="Compliance"
        columns={[...DEVICE, ...(columns.data?.specs ?? []).map(columnOf)]}
        rowKey={({ deviceName }) => deviceName}
        path={trpc.configurationManager.getMatrix.pathKey()}
        subject={SUBJECT}
        input={input}
        request={input}
        read={async (start, limit) => {
          const { list, total } = await api.configurationManager.getMatrix.query({ ...input, start, limit });
          return { rows: list, total };
        }}
        filters={
          input.grade && <Button onPress={() => setUrl({ grade: undefined })}>Grade {input.grade} ✕</Button>
        }
        empty={
          <Empty title="No device has been checked yet">
            <p>Run compliance to check the devices of this golden config.</p>
          </Empty>
        }
      />
    </section>
  );
}

const columnOf = ({ specId, nodePath }: Spec): Column<Row> => {
  const cellOf = ({ cells }: Row) => cells.find((cell) => cell.specId === specId);
  return {
    key: specId,
    header: nodePath,
    cell: (row) => {
      const cell = cellOf(row);
      if (!cell) return <span className="muted">–</span>;
      return (
        <Link
          {...reportPath(row.reportId)}
          search={{ spec: specId }}
          className="cell"
          data-tone={cell.errors > 0 ? 'bad' : cell.warnings > 0 ? 'warn' : cell.infos > 0 ? 'info' : 'good'}
        >
          {countsText(cell)}
        </Link>
      );
    },
    field: `cells.specId=${specId}.errors:${nodePath.replaceAll(',', ' ')} errors`,
  };
};
