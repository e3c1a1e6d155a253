import { useState } from 'react';
import { api } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Time } from '~/ui/time.tsx';
import { useRefreshDevices } from './change-device.tsx';
import type { Host } from './host-draft.ts';

type SeenKey = { algorithm?: string; fingerprint?: string; time?: string };

/** Says that a device showed another key than the known one, and lets an administrator expect the new one. */
export function RejectedKey({ host }: { host: Host }) {
  const may = useMay();
  const refresh = useRefreshDevices();
  const [isAsked, setAsked] = useState(false);
  const { name, hostKey } = host;
  const { seen, fingerprint: known } = (hostKey ?? {}) as { seen?: SeenKey; fingerprint?: string | null };
  const fingerprint = seen?.fingerprint;
  if (!fingerprint || fingerprint === known) return null;
  return (
    <div className="note row" data-tone="warn" role="note">
      <p>
        The device showed another host key than the known one (<Time value={seen.time} />
        ), and was not signed in to. Was it replaced or reinstalled?
      </p>
      {may('automationgateway.setHostKey') && (
        <Button onPress={() => setAsked(true)}>Accept the new key</Button>
      )}
      {isAsked && (
        <ConfirmDialog
          action="Accept the new key"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            showToast((await api.automationgateway.setHostKey.mutate({ name, fingerprint })).message);
            await refresh();
          }}
        >
          From now on {name} is expected to show {`${seen.algorithm} ${fingerprint}`}. Compare it on the
          device itself (<code>ssh-keygen -l</code>) before: another key can mean that another machine
          answers.
        </ConfirmDialog>
      )}
    </div>
  );
}
