import { useQuery } from '@tanstack/react-query';
import { IN_BACKGROUND, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import type { PagePath } from '~/app/paths.ts';

/** Something that is wrong with the service, and the page on which it is corrected or explained. */
export type Trouble = { text: string; page: PagePath };

/** How often the state of the service is read, in milliseconds. */
const REFRESH_MS = 30_000;
const IN_TURN = { ...IN_BACKGROUND, refetchInterval: REFRESH_MS, retry: false };

/** The page that says more about most of them. */
export const HEALTH = '/admin/health';
const WORKERS = '/admin/workers';
const ADAPTERS = '/admin/adapters';

/** What each service of the status means for those who work with it, and the page that says more. */
const KNOWN: Record<string, Trouble> = {
  jobWorker: { text: 'No job starts: the job worker is off', page: WORKERS },
  taskWorker: { text: 'Jobs wait: the task worker is off', page: WORKERS },
  certificate: { text: 'The certificate of this service ends soon', page: HEALTH },
  notifications: { text: 'Notifications fail', page: HEALTH },
  git: { text: 'Git fails', page: HEALTH },
  inventorySources: { text: 'An inventory source fails', page: HEALTH },
  secrets: { text: 'A secret provider fails', page: HEALTH },
  'sign-in': { text: 'A sign-in provider fails', page: HEALTH },
};

/** What is wrong with the service now, read twice a minute; empty while all is well. */
export function useTroubles(): readonly Trouble[] {
  const may = useMay();
  const status = useQuery(trpc.health.getStatus.queryOptions({}, IN_TURN)).data;
  const adapters = useQuery(
    trpc.health.getAdapters.queryOptions(
      { queryOptions: { limit: 500 } },
      { ...IN_TURN, enabled: may('health.getAdapters') },
    ),
  ).data;
  return [
    ...(status?.services ?? [])
      .filter(({ status }) => status !== 'running')
      .map(
        ({ service, status }): Trouble => KNOWN[service] ?? { text: `${service}: ${status}`, page: HEALTH },
      ),
    ...(adapters?.results ?? [])
      .filter(({ state, connection }) => state === 'RUNNING' && connection.state === 'OFFLINE')
      .map(({ id }): Trouble => ({ text: `The system of ${id} does not answer`, page: ADAPTERS })),
  ];
}
