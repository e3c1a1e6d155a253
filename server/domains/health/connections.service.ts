import type { Database } from '#db/client.ts';
import { failingRemotes } from '#server/domains/git/index.ts';
import { failingChannels } from '#server/domains/notifications/index.ts';

/** A notification channel or Git remote whose latest attempt failed. */
export type FailingConnection = {
  kind: 'notification channel' | 'git remote';
  id: string;
  name: string;
  state: 'FAILING';
  since: string;
  lastError: string | null;
};

/** Returns what could not be reached the last time, by kind and name. */
export async function listConnections(db: Database) {
  const [channels, remotes] = [await failingChannels(db), await failingRemotes(db)];
  const results: FailingConnection[] = [
    ...channels.map((one) => ({ kind: 'notification channel', state: 'FAILING', ...one }) as const),
    ...remotes.map((one) => ({ kind: 'git remote', state: 'FAILING', ...one }) as const),
  ];
  return { results, total: results.length };
}

/** Returns the services that some connection makes degraded; without names, since anyone may read the status. */
export async function degradedConnections(db: Database) {
  const { results } = await listConnections(db);
  const kinds = new Set(results.map(({ kind }) => (kind === 'git remote' ? 'git' : 'notifications')));
  return [...kinds].map((service) => ({ service, status: 'degraded' as const }));
}
