import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { useEdits } from '~/ui/form/use-edits.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { QueryView } from '~/ui/states.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Stored = Outputs['authorization']['getAccessDefault'];

const UNLISTED: { value: Stored['unlisted']; label: string }[] = [
  { value: 'readers', label: 'Everyone with a role that reads them' },
  { value: 'administrators', label: 'Administrators only' },
];
const SECRETS: { value: NonNullable<Stored['configurationSecrets']>; label: string }[] = [
  { value: 'shown', label: 'Shown to everyone who may read the configuration' },
  { value: 'masked', label: 'Masked for everyone without the permission getBackupWithSecrets' },
];

/** Who may read documents without an access list, and whether secrets in configurations are masked. */
export function AccessPage() {
  const stored = useQuery(trpc.authorization.getAccessDefault.queryOptions({}));
  return (
    <AdminFrame current="Access by default">
      <QueryView query={stored} loading="Loading the setting">
        {(data) => <AccessForm stored={data} />}
      </QueryView>
    </AdminFrame>
  );
}

function AccessForm({ stored }: { stored: Stored }) {
  const may = useMay();
  const refresh = useRefresh(trpc.authorization.getAccessDefault.pathFilter());
  const [draft, change, clear] = useEdits({
    unlisted: stored.unlisted,
    configurationSecrets: stored.configurationSecrets ?? ('shown' as const),
  });
  const [isAsking, setAsking] = useState(false);
  const isChanged =
    draft.unlisted !== stored.unlisted ||
    draft.configurationSecrets !== (stored.configurationSecrets ?? 'shown');
  return (
    <section className="card" aria-label="Access by default">
      <SelectField
        label="Trees, devices, device groups and backups without an access list"
        hint="It applies to lists, totals, searches, events and single reads."
        value={draft.unlisted}
        onChange={(unlisted) => change({ unlisted })}
        choices={UNLISTED}
      />
      <SelectField
        label="Passwords, keys and communities inside configurations"
        value={draft.configurationSecrets}
        onChange={(configurationSecrets) => change({ configurationSecrets })}
        choices={SECRETS}
      />
      {may('authorization.replaceAccessDefault') && (
        <div className="row">
          <Button variant="primary" isDisabled={!isChanged} onPress={() => setAsking(true)}>
            Save
          </Button>
        </div>
      )}
      {isAsking && (
        <FormDialog
          title="Change access by default"
          action="Change for everyone"
          isDanger
          isOpen
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            const { message } = await api.authorization.replaceAccessDefault.mutate(draft);
            showToast(message);
            await refresh();
            clear();
          }}
        >
          <p>
            {draft.unlisted === 'administrators'
              ? 'Documents without an access list disappear at once for everyone but administrators.'
              : 'Documents without an access list become visible at once to everyone with a role that reads them.'}
          </p>
        </FormDialog>
      )}
    </section>
  );
}
