import { pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, textOf } from '../columns.ts';
import type { CommandPolicy } from '../schemas/network/command-policy.ts';

/** Which commands who may send to what (docs/devices.md). */
export const commandPolicies = pgTable(
  'command_policies',
  { ...document<CommandPolicy>(), name: textOf('name') },
  (t) => [uniqueIndex('command_policies_name').on(t.name)],
);
