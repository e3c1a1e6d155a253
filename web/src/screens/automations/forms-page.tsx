import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { Page, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Form = Outputs['jsonForms']['listForms'][number];

const COLUMNS: Column<Form>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => visibleText(name) },
  { key: 'description', header: 'Description', cell: ({ description }) => visibleText(description ?? '') },
  {
    key: 'fields',
    header: 'Fields',
    cell: ({ schema }) => visibleText(Object.keys((schema?.properties ?? {}) as object).join(', ')),
  },
  { key: 'changed', header: 'Changed', cell: ({ lastUpdated }) => <Time value={lastUpdated} /> },
];

/** The forms that triggers and manual tasks show. */
export function FormsPage() {
  const query = useQuery(trpc.jsonForms.listForms.queryOptions({}));
  return (
    <Page title="Forms" path={<PathLink to="/automations">Automations</PathLink>}>
      <QueryView query={query} loading="Loading forms">
        {(forms) =>
          forms.length === 0 ? (
            <Empty title="No form yet">
              <p>
                A form asks for the input of an automation or of a manual task. It arrives with the import of
                a <Link to="/projects">project</Link> or a <Link to="/prebuilts">prebuilt</Link>, or by the
                API.
              </p>
            </Empty>
          ) : (
            <DataTable label="Forms" columns={COLUMNS} rows={forms} rowKey={({ id }) => id} />
          )
        }
      </QueryView>
    </Page>
  );
}
