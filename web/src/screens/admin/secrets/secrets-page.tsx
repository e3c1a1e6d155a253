import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { ProviderForm } from './provider-form.tsx';
import { References } from './references.tsx';
import { TestProvider } from './test-provider.tsx';

type Provider = Outputs['secrets']['listProviders']['results'][number];
type OpenDialog = { kind: 'edit' | 'test' | 'delete'; provider: Provider };

const placeOf = ({ kind, url, mount, prefix, folder }: Provider): string => {
  if (kind === 'vault') return `${url ?? ''} ${mount ?? 'secret'}`;
  return (kind === 'files' ? folder : prefix) ?? 'what the operator allows';
};

const COLUMNS: Column<Provider>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: (provider) => (
      <>
        {provider.name} {provider.default && <Badge tone="info">default</Badge>}
      </>
    ),
    field: 'name',
  },
  { key: 'kind', header: 'Kind', cell: ({ kind }) => kind, field: 'kind' },
  { key: 'place', header: 'Place', cell: (provider) => placeOf(provider), field: 'url' },
  {
    key: 'state',
    header: 'State',
    cell: ({ lastError }) =>
      lastError ? (
        <>
          <Badge tone="bad">failing</Badge> {lastError}
        </>
      ) : (
        ''
      ),
    text: ({ lastError }) => lastError ?? '',
  },
  {
    key: 'reference',
    header: 'Reference',
    cell: ({ name }) => <code>{`$SECRET_${name}:path $KEY_key`}</code>,
  },
  DESCRIPTION,
  { ...CHANGED, key: 'updated' },
];

const TABS = [
  { key: 'providers', title: 'Providers' },
  { key: 'uses', title: 'Uses' },
] as const;

const tabs = <LinkTabs label="Secrets" tabs={TABS} />;

/** Where secrets are that are read at each use, and which documents refer to them. */
export function SecretsPage() {
  const tab = useTab(TABS.map(({ key }) => key));
  return tab === 'uses' ? <References tabs={tabs} /> : <Providers />;
}

/** The providers; values of secrets are never shown. */
function Providers() {
  const refresh = useRefresh(trpc.secrets.listProviders.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Secret providers"
        frame={inAdmin('Secrets')}
        intro={tabs}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => name}
        procedure={trpc.secrets.listProviders}
        read={(queryOptions) => api.secrets.listProviders.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no secret provider yet',
          text: 'Documents can refer to secrets in HashiCorp Vault, OpenBao, variables or files instead of storing them here.',
        }}
        create={{
          label: 'Create provider',
          needs: 'secrets.createProvider',
          dialog: (onClose) => <ProviderForm onClose={onClose} />,
        }}
        actionsOf={(provider) => [
          {
            label: 'Test',
            needs: 'secrets.testProvider',
            onAction: () => setOpened({ kind: 'test', provider }),
          },
          {
            label: 'Change',
            needs: 'secrets.replaceProvider',
            onAction: () => setOpened({ kind: 'edit', provider }),
          },
          {
            label: 'Delete',
            needs: 'secrets.deleteProvider',
            onAction: () => setOpened({ kind: 'delete', provider }),
          },
        ]}
      />
      {opened?.kind === 'edit' && <ProviderForm provider={opened.provider} onClose={close} />}
      {opened?.kind === 'test' && <TestProvider name={opened.provider.name} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete provider"
          onClose={close}
          onConfirm={async () => {
            await api.secrets.deleteProvider.mutate({ name: opened.provider.name });
            await refresh();
          }}
        >
          What refers to “{opened.provider.name}” fails with its name from then on. The secrets themselves
          stay where they are.
        </ConfirmDialog>
      )}
    </>
  );
}
