import { readFileSync } from 'node:fs';
import { z } from 'zod';

const text = z.string().min(1).max(1000).optional();

/** Groups of a directory and the roles that they grant: `network-ops=engineering,apiread; admins=admin`. */
const mapping = z
  .string()
  .max(100_000)
  .transform((value, context) => {
    const entries = value
      .split(';')
      .map((entry) => entry.trim())
      .filter(Boolean)
      .map((entry) => {
        // A distinguished name contains equals signs: the last one separates.
        const at = entry.lastIndexOf('=');
        const roles = entry.slice(at + 1).split(',');
        return { group: entry.slice(0, at).trim(), roles: roles.map((role) => role.trim()).filter(Boolean) };
      });
    if (entries.some(({ group, roles }) => group === '' || roles.length === 0))
      context.addIssue('must be GROUP=ROLE,ROLE; GROUP=ROLE');
    return entries;
  })
  .optional();

/** The variables that describe one provider of each type (docs/operations.md). */
export const SIGN_IN_VARIABLES = {
  OIDC_ISSUER: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with https://' }).optional(),
  OIDC_CLIENT_ID: text,
  OIDC_CLIENT_SECRET: text,
  OIDC_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/)
    .default('oidc'),
  OIDC_TITLE: text,
  OIDC_SCOPES: z.string().max(1000).default('profile email'),
  OIDC_GROUPS_CLAIM: text,
  OIDC_USERNAME_CLAIM: text,
  OIDC_MAPPING: mapping,
  OIDC_CA: text,
  LDAP_URL: z
    .url({ protocol: /^ldaps?$/, error: 'must be a URL that begins with ldaps:// or ldap://' })
    .optional(),
  LDAP_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/)
    .default('ldap'),
  LDAP_TITLE: text,
  LDAP_BIND_DN: text,
  LDAP_BIND_PASSWORD: text,
  LDAP_USER_BASE: text,
  LDAP_GROUP_BASE: text,
  LDAP_USERNAME_ATTRIBUTE: text,
  LDAP_SUBJECT_ATTRIBUTE: text,
  LDAP_USER_FILTER: text,
  LDAP_NESTED: z.enum(['none', 'search', 'matching_rule']).optional(),
  LDAP_MAPPING: mapping,
  LDAP_CA: text,
};

type Values = z.output<z.ZodObject<typeof SIGN_IN_VARIABLES>>;

/** Returns fields without those that are undefined. */
const definedFields = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };

/** Returns the providers of the environment; undefined for a type of which it describes none. */
export function signInOf(value: Values) {
  return { oidc: oidcOf(value), ldap: ldapOf(value) };
}

function oidcOf(value: Values) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = value;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    ...definedFields({ title: value.OIDC_TITLE, mapping: value.OIDC_MAPPING }),
    name: value.OIDC_NAME,
    oidc: {
      issuer,
      clientId,
      scopes: value.OIDC_SCOPES.split(/[\s,]+/).filter(Boolean),
      ...definedFields({
        clientSecret: value.OIDC_CLIENT_SECRET,
        groupsClaim: value.OIDC_GROUPS_CLAIM,
        usernameClaim: value.OIDC_USERNAME_CLAIM,
        ca: value.OIDC_CA === undefined ? undefined : readFileSync(value.OIDC_CA, 'utf8'),
      }),
    },
  };
}

function ldapOf(value: Values) {
  const { LDAP_URL: url, LDAP_USER_BASE: userBase } = value;
  if (url === undefined || userBase === undefined) return undefined;
  return {
    ...definedFields({ title: value.LDAP_TITLE, mapping: value.LDAP_MAPPING }),
    name: value.LDAP_NAME,
    ldap: {
      url,
      userBase,
      ...definedFields({
        bindDn: value.LDAP_BIND_DN,
        bindPassword: value.LDAP_BIND_PASSWORD,
        groupBase: value.LDAP_GROUP_BASE,
        usernameAttribute: value.LDAP_USERNAME_ATTRIBUTE,
        subjectAttribute: value.LDAP_SUBJECT_ATTRIBUTE,
        userFilter: value.LDAP_USER_FILTER,
        nested: value.LDAP_NESTED,
        ca: value.LDAP_CA === undefined ? undefined : readFileSync(value.LDAP_CA, 'utf8'),
      }),
    },
  };
}
