import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';

/** The settings of providers in variables of the environment (docs/operations.md). */
export type EnvironmentProviders = {
  oidc: Pick<SignInProvider, 'name' | 'title' | 'oidc' | 'mapping'> | undefined;
  ldap: Pick<SignInProvider, 'name' | 'title' | 'ldap' | 'mapping'> | undefined;
};

/** Returns the providers that the environment describes; their ids are fixed. */
export function environmentProviders({ oidc, ldap }: EnvironmentProviders): SignInProvider[] {
  return [
    ...(oidc ? [{ ...oidc, _id: 'environment-oidc', type: 'oidc' as const }] : []),
    ...(ldap ? [{ ...ldap, _id: 'environment-ldap', type: 'ldap' as const }] : []),
  ];
}

/**
 * Returns whether a sign-in provider is configured by environment variables, and therefore cannot be changed over the
 * API.
 */
export const isOfEnvironment = (id: string): boolean => id.startsWith('environment-');
