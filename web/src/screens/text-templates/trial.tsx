import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useSettled } from '~/api/use-settled.ts';
import { Notes, noteOf } from '~/ui/code/notes.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { ProblemNote } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import type { TemplateType } from './types.ts';

type TrialProps = {
  type: TemplateType;
  template: string;
  /** Values as JSON for a Jinja template, the output of a device for one of TextFSM. */
  data: string;
  /** Shows a line of the template. */
  onGo: (line: number) => void;
};

type Row = Outputs['templateBuilder']['parseTemplate'][number];

/** What the service makes of a template and its data as they are typed; nothing is stored. */
export function Trial({ type, ...trial }: TrialProps) {
  const may = useMay();
  const isJinja = type === 'jinja2';
  if (!may(isJinja ? 'templateBuilder.applyTemplate' : 'templateBuilder.parseTemplate')) return null;
  return (
    <section className="column" aria-label="Result">
      <h2>Result</h2>
      {isJinja ? <Rendered {...trial} /> : <Parsed {...trial} />}
    </section>
  );
}

function Rendered({ template, data, onGo }: Omit<TrialProps, 'type'>) {
  const values = parseObject(data);
  const settled = useSettled({ template, variables: values.value ?? {} });
  const rendered = useQuery(
    trpc.templateBuilder.applyTemplate.queryOptions(settled, {
      enabled: values.problem === undefined,
      retry: false,
      placeholderData: keepPreviousData,
    }),
  );
  if (values.problem !== undefined)
    return (
      <p className="note" data-tone="bad" role="alert">
        The values are not JSON: {values.problem}
      </p>
    );
  if (rendered.error) return <Failure error={rendered.error} onGo={onGo} />;
  if (rendered.data === undefined) return <p className="muted">Rendering …</p>;
  if (rendered.data === '') return <p className="muted">The template renders an empty text.</p>;
  return <TextView label="Rendered text" text={rendered.data} fileName="rendered.txt" />;
}

function Parsed({ template, data, onGo }: Omit<TrialProps, 'type'>) {
  const settled = useSettled({ template, text: data });
  const parsed = useQuery(
    trpc.templateBuilder.parseTemplate.queryOptions(settled, {
      enabled: settled.template !== '',
      retry: false,
      placeholderData: keepPreviousData,
    }),
  );
  if (template === '')
    return <p className="muted">A TextFSM template begins with its Values; the records appear here.</p>;
  if (parsed.error) return <Failure error={parsed.error} onGo={onGo} />;
  if (parsed.data === undefined) return <p className="muted">Parsing …</p>;
  if (parsed.data.length === 0) return <p className="muted">The template finds no record in the output.</p>;
  return (
    <>
      <p role="status" aria-label="Records found">
        {parsed.data.length === 1 ? '1 record' : `${parsed.data.length.toLocaleString('en')} records`}
      </p>
      <DataTable
        label="Records"
        columns={columnsOf(parsed.data)}
        rows={parsed.data.map((row, index) => ({ row, index }))}
        rowKey={({ index }) => String(index)}
      />
    </>
  );
}

type Numbered = { row: Row; index: number };

/** The columns of records: one for each Value of the template. */
const columnsOf = ([first = {}]: readonly Row[]): Column<Numbered>[] =>
  Object.keys(first).map((name) => ({
    key: name,
    header: name,
    wraps: true,
    cell: ({ row }) => cellText(row[name]),
  }));

function cellText(cell: Row[string] | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  return cell.map((one) => (typeof one === 'object' ? JSON.stringify(one) : one)).join(', ');
}

/** Why a template has no result; a mistake in it leads to its line. */
function Failure({ error, onGo }: { error: unknown; onGo: (line: number) => void }) {
  const problem = problemOf(error);
  const notes = problem.issues.flatMap(noteOf);
  return notes.length > 0 ? (
    <div role="alert">
      <Notes notes={notes} onGo={onGo} />
    </div>
  ) : (
    <ProblemNote problem={problem} />
  );
}
