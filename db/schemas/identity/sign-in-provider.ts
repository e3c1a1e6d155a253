import { z } from 'zod';
import { ObjectId, Timestamp } from '../primitives.ts';

/** A name of a claim or attribute, or of a group elsewhere: text without control characters. */
const word = (most: number) =>
  z
    .string()
    .min(1)
    .max(most, { abort: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that it must not have
    .regex(/^[^\x00-\x1f\x7f]*$/, 'must not contain control characters');

const certificates = z
  .string()
  .max(100_000)
  .optional()
  .describe('PEM certificates of the authorities that are trusted for it; absent: those of the system');

const secret = (what: string) =>
  z
    .string()
    .max(1000)
    .nullable()
    .optional()
    .describe(`${what}; stored sealed and returned as a mask, which a later write may send back`);

/** An attribute description of LDAP (RFC 4512 §2.5). */
const attribute = (what: string, standard: string) =>
  z
    .string()
    .max(100, { abort: true })
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute: letters, digits and hyphens')
    .optional()
    .meta({ description: `${what}; absent: ${standard}`, examples: [standard] });

/** How users sign in through an OpenID Connect provider. */
const Oidc = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/, error: 'must be a URL that begins with https://' })
      .max(500)
      .meta({ description: 'Issuer identifier', examples: ['https://id.example.net'] }),
    clientId: word(500).meta({ description: 'Client id of this platform', examples: ['switchyard'] }),
    clientSecret: secret('Client secret'),
    clientAuthentication: z
      .enum(['client_secret_basic', 'client_secret_post', 'none'])
      .optional()
      .describe(
        'How the client proves itself; absent: client_secret_basic, or client_secret_post where the provider supports that alone, without a secret none',
      ),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope (RFC 6749 §3.3)'))
      .max(50)
      .optional()
      .describe('Scopes besides openid; absent: profile and email'),
    groupsClaim: word(200)
      .optional()
      .describe('Claim with the names of the user’s groups, dots lead into objects; absent: groups'),
    usernameClaim: word(200).optional().describe('Claim with the sign-in name; absent: preferred_username'),
    ca: certificates,
  })
  .meta({ id: 'OidcSettings', description: 'Settings of an OpenID Connect provider.' });
export type OidcSettings = z.infer<typeof Oidc>;

const dn = (what: string) => word(1000).describe(what);

/** How users sign in through an LDAP directory. */
const Ldap = z
  .strictObject({
    url: z
      .url({ protocol: /^ldaps?$/, error: 'must be a URL that begins with ldaps:// or ldap://' })
      .max(500)
      .meta({
        description: 'The directory. ldap:// uses StartTLS: no password is sent without TLS',
        examples: ['ldaps://directory.example.net'],
      }),
    bindDn: dn('Name of the account that searches; absent: anonymous').optional(),
    bindPassword: secret('Its password'),
    userBase: dn('Where users are searched'),
    usernameAttribute: attribute('Attribute with the sign-in name', 'uid'),
    subjectAttribute: attribute('Attribute that identifies a user for good', 'entryUUID'),
    displayNameAttribute: attribute('Attribute with the display name', 'cn'),
    emailAttribute: attribute('Attribute with the mail address', 'mail'),
    userFilter: word(1000)
      .optional()
      .meta({
        description: 'Filter that users must meet as well (RFC 4515)',
        examples: ['(objectClass=person)'],
      }),
    groupBase: dn('Where groups are searched; absent: in userBase').optional(),
    memberAttribute: attribute('Attribute of groups with their members', 'member'),
    groupNameAttribute: attribute('Attribute with the name of a group', 'cn'),
    nested: z
      .enum(['none', 'search', 'matching_rule'])
      .optional()
      .describe(
        'Groups within groups: none; search: searched level by level; matching_rule: by the server, as Active Directory can. Absent: search',
      ),
    ca: certificates,
    serverName: word(255)
      .optional()
      .describe('Name that its certificate must be for; absent: the host of url'),
  })
  .meta({ id: 'LdapSettings', description: 'Settings of an LDAP directory.' });
export type LdapSettings = z.infer<typeof Ldap>;

const RoleNames = z.array(word(255)).max(100);
const GroupIds = z.array(z.string().max(100)).max(100);

/** Roles and groups that members of a group of the directory receive. */
const GroupMapping = z
  .strictObject({
    group: word(1000).meta({
      description: 'Name of the group in the directory, or its distinguished name; case does not count',
      examples: ['network-ops'],
    }),
    roles: RoleNames.optional().describe('Names of roles that its members have'),
    groups: GroupIds.optional().describe('Ids of groups here of which they are members'),
  })
  .meta({ id: 'GroupMapping', description: 'Roles and groups of the members of a directory’s group.' });
export type GroupMapping = z.infer<typeof GroupMapping>;

const settings = {
  title: word(100).optional().describe('Text of its link or choice on the sign-in page; absent: its name'),
  enabled: z.boolean().optional().describe('False: no user can sign in through it; absent: true'),
  oidc: Oidc.optional().describe('Settings of a provider of the type oidc'),
  ldap: Ldap.optional().describe('Settings of a provider of the type ldap'),
  mapping: z
    .array(GroupMapping)
    .max(1000)
    .optional()
    .describe('Which groups of the directory give which roles and groups; who gets none may not sign in'),
  defaultRoles: RoleNames.optional().describe('Roles that every user of the directory has; absent: none'),
  graceMinutes: z
    .int()
    .min(1)
    .max(1440)
    .optional()
    .describe('How long known sessions keep their rights while it does not answer, in minutes; absent: 15'),
};

const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be 1 to 63 characters: a-z, 0-9, ".", "_", "-"')
  .meta({ description: 'Name; the provenance of its accounts, so it never changes', examples: ['corp'] });

/** A new provider. */
export const NewSignInProvider = z
  .strictObject({
    name: ProviderName,
    type: z.enum(['oidc', 'ldap']).describe('oidc: OpenID Connect; ldap: LDAP or Active Directory'),
    ...settings,
  })
  .meta({
    id: 'NewSignInProvider',
    description: 'A directory in which users sign in.',
    examples: [
      {
        name: 'corp',
        type: 'oidc',
        oidc: { issuer: 'https://id.example.net', clientId: 'switchyard', clientSecret: 'lantern-quarry-46' },
        mapping: [{ group: 'network-ops', roles: ['engineering'] }],
      },
    ],
  });
export type NewSignInProvider = z.infer<typeof NewSignInProvider>;

/** Changes to a provider: fields that are given replace the stored ones. */
export const SignInProviderUpdate = z
  .strictObject(settings)
  .meta({ id: 'SignInProviderUpdate', description: 'Changes to a provider; absent fields stay.' });
export type SignInProviderUpdate = z.infer<typeof SignInProviderUpdate>;

/** The last contact with a provider. */
export const ProviderStatus = z
  .looseObject({
    ok: z.boolean().nullable().describe('Whether the last contact succeeded; null: there was none'),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed, for programs', examples: ['TLS_FAILED'] }),
    detail: z.string().describe('The same in words'),
    time: Timestamp.nullable().describe('When that was'),
  })
  .meta({ id: 'ProviderStatus', description: 'Outcome of the last contact with a provider.' });
export type ProviderStatus = z.infer<typeof ProviderStatus>;

/** A provider as it is stored and shown. */
export const SignInProvider = z
  .looseObject({
    _id: z.string().describe('Id; environment-oidc and environment-ldap: from variables of the environment'),
    name: ProviderName,
    type: z.enum(['oidc', 'ldap']).describe('Kind of the directory'),
    ...settings,
    created: Timestamp.optional().describe('When it was stored'),
    createdBy: ObjectId.optional().describe('Id of the account that stored it'),
    lastUpdated: Timestamp.optional().describe('When it was changed last'),
    lastUpdatedBy: ObjectId.optional().describe('Id of the account that changed it last'),
  })
  .meta({ id: 'SignInProvider', description: 'A directory in which users sign in.' });
export type SignInProvider = z.infer<typeof SignInProvider>;

/** A provider with its origin and the outcome of the last contact. */
export const ShownProvider = SignInProvider.extend({
  source: z.enum(['stored', 'environment']).describe('environment: cannot be changed here'),
  status: ProviderStatus.describe('Outcome of the last contact'),
}).meta({ id: 'ShownProvider', description: 'A provider, and the outcome of the last contact with it.' });
export type ShownProvider = z.infer<typeof ShownProvider>;

/** Fields for the sign-in page: none about the directory itself. */
export const SignInMethods = z
  .looseObject({
    password: z.literal(true).describe('Sign-in with name and password (POST /login) is always possible'),
    providers: z
      .array(
        z.looseObject({
          name: z.string().meta({ description: 'Name of the provider', examples: ['corp'] }),
          title: z.string().describe('Text of its link'),
          type: z
            .enum(['oidc', 'ldap'])
            .describe('oidc: by its link; ldap: by the form, like local accounts'),
          start: z
            .string()
            .nullable()
            .meta({
              description: 'Path that begins the sign-in; null for ldap',
              examples: ['/sign_in/oidc/65f0c1d2e3a4b5c6d7e8f901/start'],
            }),
        }),
      )
      .describe('Providers that are enabled'),
  })
  .meta({ id: 'SignInMethods', description: 'How users may sign in.' });
export type SignInMethods = z.infer<typeof SignInMethods>;
