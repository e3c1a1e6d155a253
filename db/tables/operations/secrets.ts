import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { document } from '../../columns.ts';
import type { SecretProvider } from '../../schemas/operations/secret-provider.ts';

/** Systems from which secrets are read at each use (docs/secrets.md), by name. */
export const secretProviders = pgTable('secret_providers', {
  ...document<SecretProvider>(),
  /** Time of the first of the failures in a row; null while the system answers. */
  failingSince: timestamp('failing_since', { withTimezone: true }),
  lastError: text('last_error'),
});
