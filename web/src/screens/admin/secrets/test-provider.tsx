import { useState } from 'react';
import { api, type Outputs } from '~/api/client.ts';
import { Badge } from '~/ui/badge.tsx';
import { TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Tried = Outputs['secrets']['testProvider'];

/** Signs in to a provider, and reads one secret where a path is given; no value comes back. */
export function TestProvider({ name, onClose }: { name: string; onClose: () => void }) {
  const [draft, change] = useDraft({ path: '', key: '' });
  const [tried, setTried] = useState<Tried>();
  return (
    <FormDialog
      title={`Test ${name}`}
      action="Test"
      isOpen
      staysOpen
      onClose={onClose}
      onSubmit={async () => {
        setTried(undefined);
        const { path, key } = draft;
        setTried(await api.secrets.testProvider.mutate({ name, ...(path && { path }), ...(key && { key }) }));
      }}
    >
      <p>Signs in. With a path, that secret is read as well; its value is never shown.</p>
      <TextField
        label="Path of a secret"
        value={draft.path}
        onChange={(path) => change({ path })}
        autoFocus
      />
      <TextField
        label="Name of its value"
        hint="Default: the only one"
        value={draft.key}
        onChange={(key) => change({ key })}
      />
      {tried && (
        <p className="note" data-tone={tried.ok ? 'good' : 'bad'} role="status">
          <Badge tone={tried.ok ? 'good' : 'bad'}>{tried.ok ? 'usable' : 'failed'}</Badge> {tried.detail} (
          {Math.round(tried.latencyMs)} ms)
        </p>
      )}
    </FormDialog>
  );
}
