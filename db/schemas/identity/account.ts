import { z } from 'zod';
import { flag, number, record, text, textOrNull } from '../fields.ts';
import { Name, ObjectId, Timestamp } from '../primitives.ts';

/** Membership in a group (contract/resources#2.13 group object, contract/lifecycle#3). */
export const Membership = z
  .looseObject({
    groupId: z.string().describe('Id of the group'),
    aaaManaged: flag(
      'True when an external directory grants the membership, so that it cannot be changed here',
    ),
  })
  .meta({ id: 'Membership', description: 'Membership in a group; the roles of the group come with it.' });
export type Membership = z.infer<typeof Membership>;

/** A role given to an account or group (contract/resources#2.13 group object, contract/lifecycle#3). */
export const RoleAssignment = z
  .looseObject({ roleId: z.string().describe('Id of the role') })
  .meta({ id: 'RoleAssignment', description: 'A role of an account or group.' });
export type RoleAssignment = z.infer<typeof RoleAssignment>;

const meta = z
  .looseObject({
    created: Timestamp.optional().describe('When it was stored'),
    updated: Timestamp.optional().describe('When it last changed'),
    migrationVersion: number('Revision of the storage format it was written in'),
  })
  .optional()
  .describe('Dates, and the storage format');

const assigned = {
  memberOf: z.array(Membership).optional().describe('Groups of which it is a direct member'),
  assignedRoles: z.array(RoleAssignment).optional().describe('Directly assigned roles'),
  inactive: flag('True when it is inactive: no sign-in, no rights'),
};

const inherited = {
  inheritedGroups: z
    .array(z.looseObject({ groupId: z.string().describe('Id of the group') }))
    .optional()
    .describe('Groups inherited through other groups; only when one is read by id'),
  inheritedRoles: z
    .array(z.looseObject({ roleId: z.string().describe('Id of the role') }))
    .optional()
    .describe('Roles inherited through groups; only when one is read by id'),
};

/** An account of a user or a machine, as callers see it: never a password (contract/lifecycle#3). */
export const Account = z
  .looseObject({
    _id: ObjectId.describe('Id of the account'),
    provenance: text('Directory of the account: local, or Service Account for machines', 'local'),
    username: z.string().meta({ description: 'Sign-in name, unique', examples: ['ops@local'] }),
    firstname: text('Display name', 'Ops'),
    email: text('Mail address; empty when unknown', 'ops@example.net'),
    description: text('Of a service account, which machine or script uses it'),
    ...assigned,
    ...inherited,
    loggedIn: flag('True while the account has a session'),
    isServiceAccount: flag('True for accounts of machines, which sign in with client credentials'),
    createdBy: textOrNull('Of a service account, the id of the account that created it and owns it'),
    lastLogin: Timestamp.nullable().optional().describe('When the account last signed in; null: never'),
    gitTokens: record('Git servers that the account has stored a token for; the tokens are never shown'),
    preferences: record('Preferences of the console, such as saved views'),
    _meta: meta,
  })
  .meta({ id: 'Account', description: 'An account of a user or a machine.' });
export type Account = z.infer<typeof Account>;

/** A group of accounts (contract/resources#2.13 group object, contract/lifecycle#3). */
export const Group = z
  .looseObject({
    _id: z.string().describe('Id of the group'),
    provenance: text('Directory', 'local'),
    name: z.string().meta({ description: 'Name, unique within its provenance', examples: ['network-ops'] }),
    description: text('Purpose of the group'),
    ...assigned,
    ...inherited,
    _meta: meta,
  })
  .meta({ id: 'Group', description: 'A group of accounts; groups can be members of groups.' });
export type Group = z.infer<typeof Group>;

/** A role: a named set of rights to call endpoints and open pages (contract/lifecycle#3). */
export const Role = z
  .looseObject({
    _id: ObjectId.describe('Id of the role'),
    provenance: text('platform for the built-in roles, which cannot be changed', 'platform'),
    name: z.string().meta({ description: 'Name of the role', examples: ['apiread'] }),
    description: text('Purpose of the role'),
    allowedMethods: z
      .array(
        z
          .looseObject({
            name: z.string().meta({ description: 'Name of the operation', examples: ['getTree'] }),
            provenance: text('Area of the operation', 'ConfigurationManager'),
          })
          .meta({ examples: [{ name: 'getTree', provenance: 'ConfigurationManager' }] }),
      )
      .optional()
      .describe('Operations that the role may call'),
    allowedViews: z
      .array(
        z.looseObject({
          path: z.string().meta({ description: 'Path of the page', examples: ['/operations-manager/'] }),
          provenance: text('Application of the page', 'OperationsManager'),
        }),
      )
      .optional()
      .describe('Pages that the role may open'),
    _meta: meta,
  })
  .meta({ id: 'Role', description: 'Rights to call endpoints and open pages, under one name.' });
export type Role = z.infer<typeof Role>;

/** A machine's account in the list of service accounts, without its secret (contract/lifecycle#1). */
export const ServiceAccount = z
  .looseObject({
    client_id: ObjectId.describe('Client id for requesting tokens; also the id of the account'),
    name: z.string().meta({ description: 'Name of the service account, unique', examples: ['ci'] }),
    description: text('Which machine or script uses it'),
    inactive: flag('True when it is inactive and its tokens are rejected'),
    memberOf: z.array(Membership).optional().describe('Groups of which it is a direct member'),
    created: Timestamp.optional().describe('When it was stored'),
    lastUsed: Timestamp.nullable().optional().describe('When it last requested a token; null: never'),
  })
  .meta({ id: 'ServiceAccount', description: 'An account for machines, without its secret.' });
export type ServiceAccount = z.infer<typeof ServiceAccount>;

/** The caller and its rights (contract/lifecycle#whoami). */
export const WhoAmI = z
  .looseObject({
    id: ObjectId.describe('Id of the account'),
    provenance: z.string().meta({ description: 'Directory', examples: ['local'] }),
    username: z.string().meta({ description: 'Sign-in name', examples: ['ops@local'] }),
    firstname: z.string().meta({ description: 'Display name', examples: ['Ops'] }),
    groups: z
      .array(
        z.looseObject({
          id: z.string().describe('Id of the group'),
          provenance: text('Directory', 'local'),
          name: z.string().describe('Name of the group'),
        }),
      )
      .describe('Groups of the caller, inherited ones included'),
    roles: z.array(z.string()).meta({
      description: 'Names of the roles of the caller, inherited ones included',
      examples: [['apiread', 'apiwrite']],
    }),
    routes: z.array(z.string()).meta({
      description: 'Paths of the pages that the caller may open',
      examples: [['/operations-manager/']],
    }),
    methods: z.record(z.string(), z.array(z.string())).meta({
      description: 'Operations that the caller may call, by area',
      examples: [{ OperationsManager: ['getJobs', 'startJob'] }],
    }),
  })
  .meta({ id: 'WhoAmI', description: 'The account of the caller.' });
export type WhoAmI = z.infer<typeof WhoAmI>;

const changeable = {
  memberOf: z
    .array(Membership)
    .optional()
    .describe('Groups of which it is a direct member; replaces the list'),
  assignedRoles: z.array(RoleAssignment).optional().describe('Directly assigned roles; replaces the list'),
  inactive: flag('True deactivates it immediately'),
};

/** The fields of an account that can be changed (contract/lifecycle#3); omitted ones stay. */
export const AccountUpdate = z
  .strictObject({
    firstname: text('Display name'),
    email: text('Mail address'),
    ...changeable,
  })
  .meta({ id: 'AccountUpdate', description: 'Changes to an account; deactivating it ends its sessions.' });
export type AccountUpdate = z.infer<typeof AccountUpdate>;

/** The fields of a group that can be changed (contract/lifecycle#3); omitted ones stay. */
export const GroupUpdate = z
  .strictObject({
    name: Name.optional().describe('New name'),
    description: text('Purpose of the group'),
    ...changeable,
  })
  .meta({ id: 'GroupUpdate', description: 'Changes to a group; fields that are not given are kept.' });
export type GroupUpdate = z.infer<typeof GroupUpdate>;

/** The fields of a custom role that can be changed (contract/lifecycle#3); omitted ones stay. */
export const RoleUpdate = z
  .strictObject({
    name: Name.optional().describe('New name'),
    description: text('Purpose of the role'),
    allowedMethods: Role.shape.allowedMethods.describe(
      'Operations that the role may call; replaces the list',
    ),
    allowedViews: Role.shape.allowedViews.describe('Pages that the role may open; replaces the list'),
  })
  .meta({ id: 'RoleUpdate', description: 'Changes to a role; built-in roles cannot be changed.' });
export type RoleUpdate = z.infer<typeof RoleUpdate>;

/** The fields of a service account that can be changed (contract/lifecycle#1); omitted ones stay. */
export const ServiceAccountUpdate = z
  .strictObject({
    name: Name.optional().describe('New name'),
    description: text('Which machine or script uses it'),
    inactive: flag('True rejects its tokens immediately'),
  })
  .meta({ id: 'ServiceAccountUpdate', description: 'Changes to a service account.' });
export type ServiceAccountUpdate = z.infer<typeof ServiceAccountUpdate>;
