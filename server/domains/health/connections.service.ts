import type { Database } from '#db/client.ts';
import { failingRemotes } from '#server/domains/git/index.ts';
import { failingProviders } from '#server/domains/identity/index.ts';
import { failingSources } from '#server/domains/network/index.ts';
import { failingChannels } from '#server/domains/notifications/index.ts';
import { failingSecretProviders } from '#server/domains/operations/index.ts';

/** A notification channel, Git remote, sign-in or secret provider, or inventory source whose latest attempt failed. */
export type FailingConnection = {
  kind: 'notification channel' | 'git remote' | 'sign-in provider' | 'inventory source' | 'secret provider';
  id: string;
  name: string;
  state: 'FAILING';
  since: string;
  lastError: string | null;
};

/** Returns what could not be reached the last time, by kind and name. */
export async function listConnections(db: Database) {
  const channels = await failingChannels(db);
  const remotes = await failingRemotes(db);
  const providers = await failingProviders(db);
  const sources = await failingSources(db);
  const secrets = await failingSecretProviders(db);
  const results: FailingConnection[] = [
    ...channels.map((one) => ({ kind: 'notification channel', state: 'FAILING', ...one }) as const),
    ...remotes.map((one) => ({ kind: 'git remote', state: 'FAILING', ...one }) as const),
    ...sources.map((one) => ({ kind: 'inventory source', state: 'FAILING', ...one }) as const),
    ...secrets.map((one) => ({ kind: 'secret provider', state: 'FAILING', ...one }) as const),
    ...providers.map((one) => ({ kind: 'sign-in provider', state: 'FAILING', ...one }) as const),
  ];
  return { results, total: results.length };
}

/** The services in the status, by the kind of a connection. */
const SERVICES: Record<FailingConnection['kind'], string> = {
  'git remote': 'git',
  'notification channel': 'notifications',
  'inventory source': 'inventorySources',
  'secret provider': 'secrets',
  'sign-in provider': 'sign-in',
};

/** Returns the services that some connection makes degraded; without names, since anyone may read the status. */
export async function degradedConnections(db: Database) {
  const { results } = await listConnections(db);
  const kinds = new Set(results.map(({ kind }) => SERVICES[kind]));
  return [...kinds].map((service) => ({ service, status: 'degraded' as const }));
}
