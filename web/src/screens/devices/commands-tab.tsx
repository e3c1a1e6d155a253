import { useMay } from '~/api/use-may.ts';
import { LinkButton } from '~/ui/button.tsx';
import { RefusedFor } from '~/ui/refused-for.tsx';
import { CommandHistory } from '../commands/command-history.tsx';

/** The commands that were sent to a device, with a link to send more. */
export function CommandsTab({ name }: { name: string }) {
  const may = useMay();
  return (
    <div className="column">
      {may('mop.runCommandDevices') && (
        <div className="row">
          <LinkButton to="/commands" search={{ devices: name }} variant="primary">
            Run commands on this device
          </LinkButton>
        </div>
      )}
      {may('automationgateway.listHistory') ? (
        <CommandHistory host={name} />
      ) : (
        <RefusedFor operation="automationgateway.listHistory" />
      )}
    </div>
  );
}
