import type { ReactNode } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { pageOfAll } from '~/api/use-pages.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Reference = Outputs['secrets']['listReferences']['results'][number];

const COLUMNS: Column<Reference>[] = [
  {
    key: 'reference',
    header: 'Reference',
    cell: ({ reference }) => <code>{reference}</code>,
    field: 'reference',
  },
  {
    key: 'provider',
    header: 'Provider',
    cell: ({ provider }) => provider ?? 'the default one',
    field: 'provider',
  },
  { key: 'kind', header: 'Kind', cell: ({ kind }) => kind, field: 'kind' },
  { key: 'name', header: 'Document', cell: ({ name }) => name, field: 'name' },
];

/** Where documents refer to secrets; the values themselves are read at each use, and shown to nobody. */
export const References = ({ tabs }: { tabs: ReactNode }) => (
  <AdminFrame current="Secrets">
    {tabs}
    <ListView
      title="Uses"
      columns={COLUMNS}
      rowKey={({ reference, kind, name }) => `${kind} ${name} ${reference}`}
      path={trpc.secrets.listReferences.pathKey()}
      input={{}}
      read={(skip) => pageOfAll(api.secrets.listReferences.query({}), skip)}
      hasTextFilter={false}
      empty={
        <Empty title="No document refers to a secret yet">
          <p>Write a reference where a secret belongs, such as the password of a credential.</p>
        </Empty>
      }
    />
  </AdminFrame>
);
