import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';

/** The settings of providers in variables of the environment (docs/operations.md). */
export type EnvironmentProviders = {
  oidc: Pick<SignInProvider, 'name' | 'title' | 'oidc' | 'mapping'> | undefined;
  ldap: Pick<SignInProvider, 'name' | 'title' | 'ldap' | 'mapping'> | undefined;
};

/**
 * Returns the providers that the environment describes; their ids are fixed.
 *
 * @param settings what the variables `OIDC_*` and `LDAP_*` say; undefined where they say nothing
 */
export function environmentProviders({ oidc, ldap }: EnvironmentProviders): SignInProvider[] {
  return [
    ...(oidc ? [{ ...oidc, _id: 'environment-oidc', type: 'oidc' as const }] : []),
    ...(ldap ? [{ ...ldap, _id: 'environment-ldap', type: 'ldap' as const }] : []),
  ];
}

/**
 * Returns whether a provider is described by variables of the environment, so that it cannot be changed here.
 *
 * @param id id of the provider
 */
export const isOfEnvironment = (id: string): boolean => id.startsWith('environment-');
