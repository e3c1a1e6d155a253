import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type Outputs } from '~/api/client.ts';
import { sourceRunPath } from '~/app/paths.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';
import { errorText } from './run-progress.tsx';
import { SourceIssues } from './source-issues.tsx';

type Source = Outputs['inventory']['getSource'];
type PreviewAnswer = Outputs['inventory']['previewSource'];
type Change = { name: string; kind: 'new' | 'changed' | 'gone'; fields: string };

const TONES: Record<Change['kind'], Tone> = { new: 'good', changed: 'info', gone: 'warn' };

/** What a run does with the devices that its source no longer has. */
const GONE: Record<Source['deletes'], string> = {
  keep: 'keeps the devices that are gone from the source.',
  mark: 'marks the devices that are gone from the source as missing.',
  remove: 'removes the devices that are gone from the source from the inventory.',
};

const COLUMNS: Column<Change>[] = [
  { key: 'name', header: 'Device', cell: ({ name }) => name, text: ({ name }) => name },
  {
    key: 'kind',
    header: 'Change',
    cell: ({ kind }) => <Badge tone={TONES[kind]}>{kind}</Badge>,
    text: ({ kind }) => kind,
  },
  {
    key: 'fields',
    header: 'Fields',
    cell: ({ fields }) => fields,
    text: ({ fields }) => fields,
  },
];

const changesOf = (preview: PreviewAnswer): Change[] => [
  ...preview.new.map((name) => ({ name, kind: 'new' as const, fields: '' })),
  ...preview.changed.map(({ name, fields }) => ({
    name,
    kind: 'changed' as const,
    fields: fields.join(', '),
  })),
  ...preview.gone.map((name) => ({ name, kind: 'gone' as const, fields: '' })),
];

/** What a run would change now; nothing is stored. */
export function Preview({ source, onClose }: { source: Source; onClose: () => void }) {
  const { _id: id, deletes } = source;
  const preview = useQuery({
    queryKey: ['source preview', id],
    queryFn: ({ signal }) => api.inventory.previewSource.mutate({ id }, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return (
    <section className="card" aria-label="Preview">
      <div className="row">
        <h2>Preview</h2>
        <Button onPress={() => void preview.refetch()} isPending={preview.isFetching}>
          Read again
        </Button>
        <Button variant="quiet" onPress={onClose}>
          Close preview
        </Button>
      </div>
      <QueryView query={preview} loading="Reading the source">
        {(data) =>
          data.error ? (
            <p className="note" data-tone="bad" role="alert">
              {errorText(data.error)}
            </p>
          ) : (
            <PreviewBody preview={data} deletes={deletes}>
              {data.confirmGone !== null && <Confirmation id={id} gone={data.confirmGone} />}
            </PreviewBody>
          )
        }
      </QueryView>
    </section>
  );
}

/** Starts a run that may remove so many devices, which other runs may not. */
function Confirmation({ id, gone }: { id: string; gone: number }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const action = `Sync and remove ${gone.toLocaleString('en')}`;
  return (
    <>
      <p className="note" data-tone="warn">
        So many devices are gone that a run must be confirmed; otherwise it changes nothing. If they should be
        there, check the filters of the source and the rights of its token.
      </p>
      <Button variant="danger" onPress={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen && (
        <ConfirmDialog
          action={action}
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            const { runId } = await api.inventory.syncSource.mutate({ id, confirmGone: gone });
            await navigate(sourceRunPath(runId));
          }}
        >
          The source is read, and up to {gone.toLocaleString('en')} devices that it no longer has are removed
          from the inventory.
        </ConfirmDialog>
      )}
    </>
  );
}

function PreviewBody({
  preview,
  deletes,
  children,
}: {
  preview: PreviewAnswer;
  deletes: Source['deletes'];
  children: ReactNode;
}) {
  const changes = changesOf(preview);
  return (
    <>
      <p>
        {preview.new.length.toLocaleString('en')} new, {preview.changed.length.toLocaleString('en')} changed,{' '}
        {preview.gone.length.toLocaleString('en')} gone, {preview.unchanged.toLocaleString('en')} unchanged.
      </p>
      {preview.gone.length > 0 && (
        <p className="note" data-tone={deletes === 'keep' ? 'neutral' : 'warn'}>
          A run {GONE[deletes]}
        </p>
      )}
      {children}
      {changes.length > 0 ? (
        <>
          <div className="row">
            <SaveCsv name="changes" columns={COLUMNS} rows={changes} />
          </div>
          <DataTable
            label="Changes of a run"
            columns={COLUMNS}
            rows={changes}
            rowKey={({ kind, name }) => `${kind} ${name}`}
          />
        </>
      ) : (
        <p>A run would change nothing.</p>
      )}
      <SourceIssues issues={preview.issues} />
    </>
  );
}
