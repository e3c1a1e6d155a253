import { useState } from 'react';
import { SpokenProgress } from '~/ui/actions/spoken-progress.tsx';
import { Badge, Progress, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { durationText } from '~/ui/quantities.ts';
import { csvOf, saveFile } from '~/ui/table/csv.ts';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Output } from './output.tsx';
import type { Row } from './runner.ts';
import { useScrolledTo } from './use-scrolled-to.ts';

const TONES: Record<Row['status'], Tone> = {
  success: 'good',
  failed: 'bad',
  incomplete: 'warn',
  skipped: 'neutral',
  running: 'info',
  waiting: 'neutral',
};

/** Every command on every device with its outcome; outputs can be opened, searched and compared. */
export function Results({ rows, isRunning }: { rows: readonly Row[]; isRunning: boolean }) {
  const [sought, setSought] = useState('');
  const [status, setStatus] = useState('');
  const [openKey, setOpenKey] = useState<string>();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const section = useScrolledTo(isRunning ? 'progress' : null, 'nearest');
  const text = sought.toLowerCase();
  const shown = rows.filter(
    (row) =>
      (status === '' || row.status === status) &&
      (text === '' || `${row.device}\n${row.command}\n${row.output}`.toLowerCase().includes(text)),
  );
  const ended = rows.filter(({ status }) => status !== 'waiting' && status !== 'running').length;
  const open = rows.find(({ key }) => key === openKey);
  const compared = rows.filter(({ key }) => selected.has(key));
  const columns = columnsOf(openKey, setOpenKey);
  return (
    <section className="column" aria-label="Results" ref={section}>
      <SpokenProgress
        done={ended}
        total={rows.length}
        failed={rows.filter(({ status }) => status === 'failed').length}
        isRunning={isRunning}
      />
      {/* Not said: it changes with every command. */}
      <div className="row" role="status" aria-label="Progress of the run" aria-live="off">
        <Progress label="Commands that have ended" done={ended} total={rows.length} />
        <strong>{isRunning ? 'running' : 'finished'}</strong>
        {Object.entries(countsOf(rows)).map(([one, count]) => (
          <Badge key={one} tone={TONES[one as Row['status']]}>
            {count} {one}
          </Badge>
        ))}
      </div>
      <search className="row">
        <input
          type="search"
          className="input fit"
          aria-label="Search in devices, commands and outputs"
          placeholder="Search in outputs"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
        <select
          className="input fit"
          aria-label="Outcome"
          value={status}
          onChange={(event) => setStatus(event.target.value)}
        >
          <option value="">Every outcome</option>
          {Object.keys(TONES).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <Button onPress={() => saveFile('commands.csv', csvOf([...columns, OUTPUT_COLUMN], shown))}>
          CSV
        </Button>
        <span className="muted small">Select two rows to compare their outputs.</span>
      </search>
      <DataTable
        label="Results"
        columns={columns}
        rows={shown}
        rowKey={({ key }) => key}
        selection={{ selected, onChange: setSelected }}
      />
      {compared.length === 2 && compared[0] && compared[1] && (
        <Comparison first={compared[0]} second={compared[1]} />
      )}
      {open && <Output row={open} onClose={() => setOpenKey(undefined)} />}
    </section>
  );
}

const nameOf = ({ device, command }: Row) => `${device}: ${command}`;

function Comparison({ first, second }: { first: Row; second: Row }) {
  const section = useScrolledTo(`${first.key} ${second.key}`, 'start');
  return (
    <section className="card" aria-label="Comparison" ref={section}>
      <h2>Comparison</h2>
      {first.output === second.output ? (
        <p>
          {nameOf(first)} and {nameOf(second)} have the same output.
        </p>
      ) : (
        <DiffView
          label="Outputs"
          before={first.output}
          after={second.output}
          sides={[nameOf(first), nameOf(second)]}
        />
      )}
    </section>
  );
}

function countsOf(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const OUTPUT_COLUMN: Column<Row> = {
  key: 'output',
  header: 'Output',
  cell: () => null,
  text: ({ output }) => output,
};

const columnsOf = (openKey: string | undefined, open: (key: string) => void): Column<Row>[] => [
  {
    key: 'device',
    header: 'Device',
    cell: ({ device }) => device,
    text: ({ device }) => device,
  },
  {
    key: 'command',
    header: 'Command',
    cell: ({ key, device, command, status }) =>
      status === 'waiting' || status === 'running' ? (
        <code>{command}</code>
      ) : (
        <Button
          variant="quiet"
          aria-label={`Output of ${command} on ${device}`}
          aria-expanded={key === openKey}
          onPress={() => open(key)}
        >
          <code>{command}</code>
        </Button>
      ),
    text: ({ command }) => command,
  },
  {
    key: 'status',
    header: 'Outcome',
    cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge>,
    text: ({ status }) => status,
  },
  {
    key: 'time',
    header: 'Took',
    isNumber: true,
    cell: ({ elapsedMs }) => (elapsedMs === undefined ? '–' : durationText(elapsedMs)),
    text: ({ elapsedMs }) => elapsedMs,
  },
  {
    key: 'reason',
    header: 'Why it failed',
    cell: ({ reason }) => reason ?? '',
    text: ({ reason }) => reason,
  },
  {
    key: 'lines',
    header: 'Lines',
    isNumber: true,
    cell: ({ output }) => (output === '' ? '–' : output.split('\n').length.toLocaleString('en')),
  },
];
