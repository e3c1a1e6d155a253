import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { Button } from '~/ui/button.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';

/** The configuration as the device has it now; it is read from the device when the tab opens. */
export function ConfigurationTab({ name }: { name: string }) {
  const configuration = useQuery(
    trpc.configurationManager.getDeviceConfiguration.queryOptions(
      { name },
      { staleTime: 60_000, retry: false },
    ),
  );
  return (
    <div className="column">
      <div className="row">
        <Button onPress={() => void configuration.refetch()} isPending={configuration.isFetching}>
          {configuration.isFetching ? 'Reading …' : 'Read again'}
        </Button>
        {configuration.dataUpdatedAt > 0 && (
          <span className="muted small">
            read <Time value={configuration.dataUpdatedAt} />
          </span>
        )}
      </div>
      <QueryView query={configuration} loading="Reading the configuration from the device">
        {({ config }) => <TextView label="Configuration" text={config} fileName={`${name}.txt`} />}
      </QueryView>
    </div>
  );
}
