import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { issue } from '#server/kernel/validation/document-issues.ts';

/** Provenances that accounts, groups and roles of the platform itself have. */
const RESERVED = new Set(['local', 'platform', 'service', 'service account', 'environment']);

type Settings = Pick<SignInProvider, 'name' | 'type' | 'oidc' | 'ldap'>;

/**
 * Returns the issues of a provider that its schema cannot find.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached; true also allows http:// issuers
 */
export function settingsIssues({ name, type, oidc, ldap }: Settings, allowPrivateTargets: boolean): Issue[] {
  const issues: Issue[] = [];
  if (RESERVED.has(name)) issues.push(issue(['name'], 'is reserved; choose another name'));
  const other = type === 'oidc' ? 'ldap' : 'oidc';
  if (!(type === 'oidc' ? oidc : ldap)) issues.push(issue([type], `is required for the type ${type}`));
  if (type === 'oidc' ? ldap : oidc) issues.push(issue([other], `belongs to the type ${other}`));
  if (oidc) issues.push(...oidcIssues(oidc, allowPrivateTargets));
  if (ldap) issues.push(...urlIssues(ldap.url, ['ldap', 'url'], allowPrivateTargets));
  if (ldap?.bindDn !== undefined && !ldap.bindPassword)
    issues.push(issue(['ldap', 'bindPassword'], 'is required with bindDn: a bind without one is anonymous'));
  return issues;
}

function oidcIssues(oidc: NonNullable<Settings['oidc']>, allowPrivateTargets: boolean): Issue[] {
  const issues = urlIssues(oidc.issuer, ['oidc', 'issuer'], allowPrivateTargets);
  const url = new URL(oidc.issuer);
  if (url.protocol === 'http:' && !allowPrivateTargets)
    issues.push(issue(['oidc', 'issuer'], 'must begin with https://'));
  if (url.search || url.hash) issues.push(issue(['oidc', 'issuer'], 'must have neither query nor fragment'));
  const { clientAuthentication: method, clientSecret } = oidc;
  if ((method === 'client_secret_basic' || method === 'client_secret_post') && !clientSecret)
    issues.push(issue(['oidc', 'clientSecret'], `is required for ${method}`));
  return issues;
}

function urlIssues(text: string, path: string[], allowPrivateTargets: boolean): Issue[] {
  const url = new URL(text);
  const fault = hostFault(url.hostname.replace(/^\[|\]$/g, ''), allowPrivateTargets);
  return [
    ...(fault ? [issue(path, `the host ${fault}`)] : []),
    ...(url.username || url.password ? [issue(path, 'must not contain a name or password')] : []),
  ];
}

/**
 * Returns an issue when a stored secret would be sent to another place than the one that it was given for.
 *
 * @param before the provider as stored
 * @param next the provider as it would be stored
 * @returns an issue for each secret that has to be sent again
 */
export function movedSecretIssues(before: SignInProvider, next: SignInProvider): Issue[] {
  const moved = 'is needed again, because the place that it is sent to changes';
  const issues: Issue[] = [];
  if (before.oidc && next.oidc && before.oidc.issuer !== next.oidc.issuer && isMask(next.oidc.clientSecret))
    issues.push(issue(['oidc', 'clientSecret'], moved));
  if (before.ldap && next.ldap && before.ldap.url !== next.ldap.url && isMask(next.ldap.bindPassword))
    issues.push(issue(['ldap', 'bindPassword'], moved));
  return issues;
}

const isMask = (value: unknown) => typeof value === 'string' && /^\*+$/.test(value);
