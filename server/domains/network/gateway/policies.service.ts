import { sql } from 'drizzle-orm';
import { remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { CommandPolicy } from '#db/schemas/network/command-policy.ts';
import { commandPolicies } from '#db/tables/network/policies.ts';
import type { DeviceContext, ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { findDocument, insertUnlessTaken, readDocument } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, invalid, ServiceError } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { callersIn } from '#server/kernel/principal.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { isSecretField } from '#server/kernel/secrets/redact.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import type { DriverFacts } from '#server/southbound/cli/ports.ts';
import { canonicalDeviceType, deviceTypeOf, deviceTypeSuggestion } from '../inventory/device-types.ts';
import { nameFault } from '../inventory/host-rules.ts';
import { commandFault, policiesFor } from './policy.ts';

const resource = defineResource({
  name: 'command policies',
  schema: CommandPolicy,
  source: commandPolicies,
  columns: { name: commandPolicies.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** Returns one page of the policies. */
export async function listPolicies(
  { db }: Pick<ReadContext, 'db'>,
  query: Readonly<Record<string, unknown>>,
) {
  const page = await list(db, resource, readList(resource, query, { hidden: isSecretField }));
  return core<CommandPolicy>(page);
}

/** Returns one policy. @throws ServiceError NOT_FOUND */
export const getPolicy = async (ctx: ReadContext, name: string): Promise<JsonText<CommandPolicy>> =>
  json(await readDocument(ctx, 'commandPolicy', named(name)));

const named = (name: string) => ({ where: sql`name = ${name}`, called: name });

/** Stores a new policy. @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken */
export async function createPolicy(ctx: WriteContext<'config'>, given: CommandPolicy) {
  assertSensible(given);
  const stamp = ctx.platform.now().toISOString();
  const id = newId();
  const doc: CommandPolicy = { ...whole(given), _id: id, created: stamp, lastUpdated: stamp };
  const message = `A command policy with the name ${given.name} already exists`;
  await insertUnlessTaken(ctx.db, commandPolicies, { id, doc }, { index: 'command_policies_name', message });
  return { status: 'Created' as const, message: `Created ${given.name}.`, data: doc };
}

/** Replaces the policy of this name. @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT */
export async function replacePolicy(ctx: WriteContext<'config'>, name: string, given: CommandPolicy) {
  const stored = await lockPolicy(ctx, name);
  if (given.name !== name) throw invalid(['policy', 'name'], `is ${name} and cannot be changed`);
  assertSensible(given);
  const { created, lastUpdated } = stored.doc;
  const doc: CommandPolicy = {
    ...whole(given),
    _id: stored.id,
    ...(created !== undefined && { created }),
    lastUpdated: grownStamp(ctx.platform.now(), lastUpdated),
  };
  if (!(await replace(ctx.db, commandPolicies, stored, doc)))
    throw changedMeanwhile(`Command policy ${name}`);
  return { status: 'OK' as const, message: `Updated ${name}.`, data: doc };
}

/** Deletes a policy. @throws ServiceError NOT_FOUND */
export async function deletePolicy(ctx: WriteContext<'config'>, name: string) {
  const stored = await lockPolicy(ctx, name);
  await remove(ctx.db, commandPolicies, [stored.id]);
  return { status: 'OK' as const, message: `Deleted ${name}.` };
}

/**
 * Rejects commands that the policies for the caller's roles do not allow on this kind of device.
 *
 * @throws ServiceError FORBIDDEN naming up to three of the commands and the reasons
 */
export async function assertPolicy(
  { db, principal }: Pick<DeviceContext, 'db' | 'principal'>,
  {
    host,
    driver,
    commands,
  }: {
    host: string;
    driver: Pick<DriverFacts, 'device_type' | 'abbreviates' | 'syntax'>;
    commands: readonly string[];
  },
): Promise<void> {
  const found = await db
    .select({ doc: commandPolicies.doc })
    .from(commandPolicies)
    .orderBy(commandPolicies.name);
  if (found.length === 0) return;
  const all = found.map(({ doc }) => doc);
  const faults = callersIn(principal).flatMap(({ roles }) => {
    const counting = policiesFor(all, { roles, deviceType: driver.device_type });
    return commands.flatMap((command, index) => {
      const fault = commandFault(counting, command, driver);
      return fault === null ? [] : [`command ${index + 1}: ${fault}`];
    });
  });
  if (faults.length === 0) return;
  throw new ServiceError('FORBIDDEN', `${host}: ${faults.slice(0, 3).join('; ')}`, {
    extra: { reason: 'POLICY_DENIED', host, stage: 'queue', retryable: false },
  });
}

const whole = ({ _id, created, lastUpdated, device_types = [], ...given }: CommandPolicy): CommandPolicy => ({
  roles: [],
  allow: [],
  deny: [],
  operators: false,
  ...given,
  device_types: [...new Set(device_types.map((type) => canonicalDeviceType(type) ?? type))],
});

function assertSensible({ name, roles = [], device_types = [] }: CommandPolicy): void {
  const fault = nameFault(name);
  assertNone([
    ...(fault ? [issue(['policy', 'name'], fault)] : []),
    ...roles.flatMap((role, index) =>
      ROLES.some((known) => known === role)
        ? []
        : [issue(['policy', 'roles', index], `must be one of the roles ${ROLES.join(', ')}`)],
    ),
    ...device_types.flatMap((type, index) =>
      deviceTypeOf(type)
        ? []
        : [
            issue(
              ['policy', 'device_types', index],
              `is not a device_type: ${JSON.stringify(type.slice(0, 100))}${deviceTypeSuggestion(type)}`,
            ),
          ],
    ),
  ]);
}

async function lockPolicy(ctx: WriteContext<'config'>, name: string) {
  const stored = await findDocument(ctx, 'commandPolicy', named(name), true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Command policy ${name}`);
  return stored;
}
