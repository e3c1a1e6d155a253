import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { document } from '../../columns.ts';
import type { SecretProvider } from '../../schemas/operations/secret-provider.ts';

/** Where secrets are that are read at each use (docs/secrets.md), by name. */
export const secretProviders = pgTable('secret_providers', {
  ...document<SecretProvider>(),
  /** First failure in a row of the system itself; null while it answers. */
  failingSince: timestamp('failing_since', { withTimezone: true }),
  lastError: text('last_error'),
});
