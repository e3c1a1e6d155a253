import { useQuery } from '@tanstack/react-query';
import { api, type Outputs } from '~/api/client.ts';
import { Button } from '~/ui/button.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { SourceIssues } from './source-issues.tsx';

type PreviewAnswer = Outputs['inventory']['previewSource'];
type Change = { name: string; kind: 'new' | 'changed' | 'gone'; fields: string };

const COLUMNS: Column<Change>[] = [
  { key: 'name', header: 'Device', cell: ({ name }) => visibleText(name), text: ({ name }) => name },
  { key: 'kind', header: 'Change', cell: ({ kind }) => kind, text: ({ kind }) => kind },
  {
    key: 'fields',
    header: 'Fields',
    cell: ({ fields }) => visibleText(fields),
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
export function Preview({ id, onClose }: { id: string; onClose: () => void }) {
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
              <strong>{data.error.code}</strong>: the source {visibleText(data.error.message)}
            </p>
          ) : (
            <PreviewBody preview={data} />
          )
        }
      </QueryView>
    </section>
  );
}

function PreviewBody({ preview }: { preview: PreviewAnswer }) {
  const changes = changesOf(preview);
  return (
    <>
      <p>
        {preview.new.length.toLocaleString('en')} new, {preview.changed.length.toLocaleString('en')} changed,{' '}
        {preview.gone.length.toLocaleString('en')} gone, {preview.unchanged.toLocaleString('en')} unchanged.
      </p>
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
