import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { FileField } from '~/ui/file-field.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { Page, PathLink } from '~/ui/page.tsx';
import { RefusedFor } from '~/ui/refused-for.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';

type Outcome = Outputs['inventory']['importCsv'];
type Issue = Outcome['issues'][number];

const COLUMNS: Column<Issue>[] = [
  { key: 'row', header: 'Row', isNumber: true, cell: ({ row }) => row, text: ({ row }) => row },
  {
    key: 'column',
    header: 'Column',
    cell: ({ column }) => column || 'the whole row',
    text: ({ column }) => column,
  },
  {
    key: 'message',
    header: 'Problem',
    cell: ({ message }) => message,
    text: ({ message }) => message,
  },
];

type Fields = { csv: string; file: string; mode: 'strict' | 'lenient' };
type Done = { isDryRun: boolean; mode: Fields['mode']; outcome: Outcome };

/** Imports devices from a file or a pasted text: tried first, with every problem by row and column. */
export function CsvImportPage() {
  const may = useMay();
  const refresh = useRefresh(trpc.configurationManager.searchDevices.pathFilter());
  const [{ csv, file, mode }, change] = useDraft<Fields>({ csv: '', file: '', mode: 'strict' });
  const [done, setDone] = useState<Done>();
  const [pending, setPending] = useState<'try' | 'import'>();
  const [error, setError] = useState<unknown>();
  const send = async (isDryRun: boolean) => {
    setPending(isDryRun ? 'try' : 'import');
    setError(undefined);
    try {
      const outcome = await api.inventory.importCsv.mutate({ csv, mode, dryRun: isDryRun });
      setDone({ isDryRun, mode, outcome });
      if (!isDryRun) await refresh();
    } catch (failure) {
      setDone(undefined);
      setError(failure);
    } finally {
      setPending(undefined);
    }
  };
  const edit = (part: Partial<Fields>) => {
    change(part);
    setDone(undefined);
  };
  return (
    <Page
      title="Import devices from CSV"
      path={
        <>
          <PathLink to="/devices">Devices</PathLink> /{' '}
          <PathLink to="/inventory/sources">Inventory sources</PathLink>
        </>
      }
    >
      {!may('inventory.importCsv') ? (
        <RefusedFor operation="inventory.importCsv" />
      ) : (
        <>
          <form
            className="card"
            aria-label="CSV"
            onSubmit={(event) => {
              event.preventDefault();
              void send(true);
            }}
          >
            <p className="muted">
              The first row names the columns: name and host are required, and device_type for a new device;
              port, username, password, credential, tags, groups and site are known; any other column becomes
              a custom field.
            </p>
            <FileField
              label="File"
              accept=".csv,text/csv,text/plain"
              onText={(text, name) => edit({ csv: text, file: name })}
            />
            <TextArea
              label={file ? `Text of ${file}` : 'Or pasted text'}
              rows={10}
              isCode
              placeholder="name,host,device_type,tags,site"
              value={csv}
              onChange={(text) => edit({ csv: text })}
            />
            <SelectField
              label="Rows with problems"
              value={mode}
              onChange={(next) => edit({ mode: next })}
              choices={[
                { value: 'strict', label: 'Strict: one problem rejects the whole file' },
                { value: 'lenient', label: 'Lenient: rows with problems are skipped' },
              ]}
            />
            <div className="row">
              <Button type="submit" isDisabled={csv.trim() === ''} isPending={pending === 'try'}>
                Dry run
              </Button>
              <Button
                variant="primary"
                isDisabled={!done?.isDryRun || done.outcome.imported === 0}
                isPending={pending === 'import'}
                onPress={() => void send(false)}
              >
                {done?.isDryRun ? `Import ${rowsText(done.outcome.imported)}` : 'Import'}
              </Button>
            </div>
            {!done && (
              <p className="muted small">Import is possible after a dry run, which stores nothing.</p>
            )}
          </form>
          {error !== undefined && <ProblemNote problem={problemOf(error)} />}
          {done && <Result {...done} />}
        </>
      )}
    </Page>
  );
}

const rowsText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;

type Difference = { name: string; what: string };

const DIFFERENCES: readonly Column<Difference>[] = [
  { key: 'name', header: 'Device', cell: ({ name }) => name, text: ({ name }) => name },
  { key: 'what', header: 'Change', cell: ({ what }) => what, text: ({ what }) => what },
];

function Result({ isDryRun, mode, outcome }: Done) {
  const { imported, skipped, issues, unchanged } = outcome;
  const differences = [
    ...outcome.new.map((name) => ({ name, what: 'new' })),
    ...outcome.changed.map(({ name, fields }) => ({ name, what: fields.join(', ') })),
  ];
  return (
    <section className="column" aria-label="Result">
      <p className="note" data-tone={issues.length === 0 ? 'good' : 'warn'} role="status">
        {isDryRun
          ? `Nothing was stored. ${rowsText(imported)} would be imported, ${rowsText(skipped)} would not.`
          : `${rowsText(imported)} imported, ${rowsText(skipped)} not.`}
        {mode === 'strict' && issues.length > 0 && ' In the strict mode one problem stops the whole file.'}
      </p>
      {imported > 0 && (
        <p className="muted">
          {outcome.new.length.toLocaleString('en')} new, {outcome.changed.length.toLocaleString('en')}{' '}
          changed, {unchanged.toLocaleString('en')} as they were.
        </p>
      )}
      {isDryRun && differences.length > 0 && (
        <>
          <h2>What would change</h2>
          <DataTable
            label="What would change"
            columns={DIFFERENCES}
            rows={differences}
            rowKey={({ name }) => name}
          />
        </>
      )}
      {issues.length > 0 && (
        <>
          <div className="row">
            <h2>Problems</h2>
            <SaveCsv name="problems" columns={COLUMNS} rows={issues} />
          </div>
          <DataTable
            label="Problems"
            columns={COLUMNS}
            rows={issues}
            rowKey={({ row, column, message }) => `${row} ${column} ${message}`}
          />
        </>
      )}
      {!isDryRun && imported > 0 && <Link to="/devices">Open the devices</Link>}
    </section>
  );
}
