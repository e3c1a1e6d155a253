import { pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, textOf } from '../../columns.ts';
import type { CommandPolicy } from '../../schemas/network/command-policy.ts';

/** Policies that state which roles may send which commands to which devices (docs/devices.md). */
export const commandPolicies = pgTable(
  'command_policies',
  { ...document<CommandPolicy>(), name: textOf('name') },
  (t) => [uniqueIndex('command_policies_name').on(t.name)],
);
