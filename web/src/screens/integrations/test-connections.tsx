import { api } from '~/api/client.ts';
import { BulkRun } from '~/ui/actions/bulk-run.tsx';

/** Tests the connection of integrations, each with its result. */
export const TestConnections = ({ names, onClose }: { names: readonly string[]; onClose: () => void }) => (
  <BulkRun
    title="Test connection"
    action={`Test ${names.length} ${names.length === 1 ? 'integration' : 'integrations'}`}
    intro="Each integration asks its system once, with its own sign-in. Nothing is changed there."
    items={names}
    run={async (name, signal) => {
      const { ok, detail, status, latencyMs } = await api.integrations.testIntegration.mutate(
        { name },
        { signal },
      );
      return {
        isGood: ok,
        text: `${detail}${status === null ? '' : `, status ${status}`} (${Math.round(latencyMs)} ms)`,
      };
    }}
    onClose={onClose}
  />
);
