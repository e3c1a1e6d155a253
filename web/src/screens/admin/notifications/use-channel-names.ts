import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';

/** Most channels that exist. */
const CHANNELS = 200;

/** All channels, by name. */
export const useChannels = () =>
  useQuery(
    trpc.notifications.listChannels.queryOptions({
      queryOptions: { limit: CHANNELS, sort: 'name', order: 1 },
    }),
  );

/** Returns a function that names a channel by its id. */
export function useChannelNames(): (id: string) => string {
  const { data } = useChannels();
  return (id) => data?.results.find(({ _id }) => _id === id)?.name ?? id;
}
