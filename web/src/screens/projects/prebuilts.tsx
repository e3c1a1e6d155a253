import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Prebuilt = Outputs['prebuilts']['listPrebuilts']['results'][number];

const COLUMNS: Column<Prebuilt>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ name }) => visibleText(name),
    text: ({ name }) => name,
  },
  {
    key: 'version',
    header: 'Version',
    cell: ({ version }) => visibleText(version),
    text: ({ version }) => version,
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description }) => visibleText(description ?? ''),
    text: ({ description }) => description,
  },
  {
    key: 'components',
    header: 'Components',
    isNumber: true,
    cell: ({ components = [] }) => components.length,
    text: ({ components = [] }) => components.length,
  },
  {
    key: 'installed',
    header: 'Installed',
    cell: ({ installed }) => <Time value={installed} />,
    text: ({ installed }) => installed,
  },
];

/** The installed prebuilts. */
export function Prebuilts() {
  const [url] = useUrlState();
  const may = useMay();
  const [deleted, setDeleted] = useState<Prebuilt>();
  const input = listInput(url, 'name');
  const columns: Column<Prebuilt>[] = [
    ...COLUMNS,
    ...(may('prebuilts.deletePrebuilt')
      ? [
          {
            key: 'actions',
            header: 'Actions',
            cell: (prebuilt: Prebuilt) => (
              <Button
                variant="danger"
                aria-label={`Remove ${prebuilt.name}`}
                onPress={() => setDeleted(prebuilt)}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <ListView
        title="Prebuilts"
        columns={columns}
        rowKey={({ _id }) => _id}
        path={trpc.prebuilts.listPrebuilts.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.prebuilts.listPrebuilts.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="No prebuilt is installed">
            <p>A prebuilt is a package of workflows and what they need.</p>
          </Empty>
        }
      />
      {deleted && <Remove prebuilt={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

function Remove({ prebuilt, onClose }: { prebuilt: Prebuilt; onClose: () => void }) {
  const refresh = useRefresh(trpc.prebuilts.listPrebuilts.pathFilter());
  const [isWithComponents, setWithComponents] = useState(false);
  const { components = [] } = prebuilt;
  return (
    <FormDialog
      title="Remove prebuilt"
      action="Remove prebuilt"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.prebuilts.deletePrebuilt.mutate({ id: prebuilt._id, deleteComponents: isWithComponents });
        await refresh();
      }}
    >
      <p>“{visibleText(prebuilt.name)}” goes from this list.</p>
      <Checkbox
        label={`Delete its ${components.length} components too`}
        isChecked={isWithComponents}
        onChange={setWithComponents}
      />
      {isWithComponents && (
        <ul>
          {components.map(({ id, name, type }) => (
            <li key={`${type} ${id}`}>{visibleText(`${type} ${name}`)}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}
