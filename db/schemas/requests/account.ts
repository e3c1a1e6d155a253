import { z } from 'zod';
import { flag, text } from '../fields.ts';
import {
  AccountUpdate,
  GroupUpdate,
  Membership,
  Role,
  RoleAssignment,
  RoleUpdate,
  ServiceAccountUpdate,
} from '../identity/account.ts';
import { Name } from '../primitives.ts';
import { transformed } from '../transformed.ts';

/**
 * Minimum and maximum length of a password; longer ones cost more to hash and add no security (contract/lifecycle#3).
 */
const PASSWORD = { least: 12, most: 1024 };

/** A password that a caller sets; only its hash is stored, and no response contains it. */
export const NewPassword = z
  .string()
  .min(PASSWORD.least, `must have at least ${PASSWORD.least} characters`)
  .max(PASSWORD.most)
  .meta({
    id: 'NewPassword',
    description: 'A password: 12 to 1024 characters. It is never returned.',
    examples: ['heron-quarry-lantern-46'],
  });

/** Sign-in name of a user. No colon: `Authorization: Basic` ends the name at the first one. */
const Username = Name.regex(/^[^:]*$/, 'must not contain a colon').meta({
  description: 'Sign-in name, unique among local accounts; no colon',
  examples: ['ops@local'],
});

const rights = {
  memberOf: z.array(Membership).optional().describe('Groups of which it is a direct member'),
  assignedRoles: z.array(RoleAssignment).optional().describe('Directly assigned roles'),
};

/** Fields that a caller may send back as it read them: they are not changed, and the response says so. */
const readOnly = Object.fromEntries(
  ['_id', '_meta', 'created', 'createdBy', 'lastUpdated', 'lastUpdatedBy'].map((name) => [
    name,
    z.unknown().optional().describe('Ignored, and listed in metadata.ignored'),
  ]),
);

/** Builds a closed object whose optional fields may also be null, which means absent (contract/lifecycle#null). */
function request<Shape extends z.core.$ZodLooseShape>(shape: Shape, tolerated: z.core.$ZodLooseShape = {}) {
  const fields = Object.entries({ ...tolerated, ...shape }).map(([name, field]) => [
    name,
    field instanceof z.ZodOptional
      ? z
          .nullable(field)
          .optional()
          .describe(field.description ?? '')
      : field,
  ]);
  const closed = transformed(
    z.strictObject(Object.fromEntries(fields) as z.core.$ZodLooseShape),
    withoutNulls,
  );
  // The transform removes the nulls, so the output has the type of the given shape.
  return closed as unknown as z.ZodType<z.output<z.ZodObject<Shape>>, z.input<z.ZodObject<Shape>>>;
}

const withoutNulls = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));

/** An account to create (contract/lifecycle#3). */
export const NewAccount = request({
  username: Username,
  password: NewPassword,
  firstname: text('Display name', 'Ops'),
  email: text('Mail address', 'ops@example.net'),
  ...rights,
}).meta({ id: 'NewAccount', description: 'A user account to create.' });
export type NewAccount = z.infer<typeof NewAccount>;

/** A group to create (contract/lifecycle#3). */
export const NewGroup = request({
  name: Name,
  description: text('Purpose of the group'),
  provenance: Name.optional().describe('Directory; absent: local'),
  ...rights,
  inactive: flag('True creates it inactive: it grants no rights'),
}).meta({ id: 'NewGroup', description: 'A group to create.' });
export type NewGroup = z.infer<typeof NewGroup>;

/** A role to create (contract/lifecycle#3). */
export const NewRole = request(
  {
    name: Name,
    description: text('Purpose of the role'),
    provenance: Name.optional().describe('Provenance; absent: local'),
    allowedMethods: Role.shape.allowedMethods.unwrap().describe('Operations that the role may call'),
    allowedViews: Role.shape.allowedViews.unwrap().describe('Pages that the role may open'),
  },
  // Clients import a role by sending it as they read it.
  readOnly,
).meta({ id: 'NewRole', description: 'A role to create.' });
export type NewRole = z.infer<typeof NewRole>;

/** A service account to create (contract/lifecycle#1). */
export const NewServiceAccount = request({
  name: Name,
  description: text('Which machine or script uses it'),
  ...rights,
}).meta({ id: 'NewServiceAccount', description: 'A service account to create.' });
export type NewServiceAccount = z.infer<typeof NewServiceAccount>;

/** The body of each PATCH under `/authorization` and `/oauth`: the schema's fields; read-only ones are tolerated. */
export const AccountPatch = request(AccountUpdate.shape, readOnly).meta({
  id: 'AccountPatch',
  description:
    'Changes to an account; fields that are not given are kept. Deactivating it ends its sessions and tokens.',
});
export const GroupPatch = request(GroupUpdate.shape, readOnly).meta({
  id: 'GroupPatch',
  description: 'Changes to a group; fields that are not given are kept.',
});
export const RolePatch = request(RoleUpdate.shape, readOnly).meta({
  id: 'RolePatch',
  description: 'Changes to a role; built-in roles cannot be changed.',
});
export const ServiceAccountPatch = request(ServiceAccountUpdate.shape, readOnly).meta({
  id: 'ServiceAccountPatch',
  description: 'Changes to a service account; fields that are not given are kept.',
});
