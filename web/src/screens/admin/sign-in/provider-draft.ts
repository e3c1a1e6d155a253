import type { Inputs, Outputs } from '~/api/client.ts';

type Provider = Outputs['signIn']['getProvider'];
type Settings = Inputs['signIn']['updateProvider']['updates'];
export type GroupMapping = NonNullable<Settings['mapping']>[number];

/** A provider while it is edited; empty texts: the values of the service. */
export type ProviderDraft = {
  title: string;
  isEnabled: boolean;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  usernameClaim: string;
  url: string;
  bindDn: string;
  bindPassword: string;
  userBase: string;
  groupBase: string;
  nested: NonNullable<NonNullable<Settings['ldap']>['nested']>;
  usernameAttribute: string;
  subjectAttribute: string;
  memberAttribute: string;
  groupNameAttribute: string;
  userFilter: string;
  serverName: string;
  ca: string;
  mapping: readonly GroupMapping[];
  defaultRoles: Set<string>;
  graceMinutes: string;
};

/** Returns what the form shows of a provider. */
export function providerDraftOf(provider: Provider | undefined): ProviderDraft {
  const { oidc, ldap } = provider ?? {};
  return {
    title: provider?.title ?? '',
    isEnabled: provider?.enabled ?? true,
    issuer: oidc?.issuer ?? '',
    clientId: oidc?.clientId ?? '',
    clientSecret: '',
    scopes: oidc?.scopes?.join(' ') ?? '',
    groupsClaim: oidc?.groupsClaim ?? '',
    usernameClaim: oidc?.usernameClaim ?? '',
    url: ldap?.url ?? '',
    bindDn: ldap?.bindDn ?? '',
    bindPassword: '',
    userBase: ldap?.userBase ?? '',
    groupBase: ldap?.groupBase ?? '',
    nested: ldap?.nested ?? 'search',
    usernameAttribute: ldap?.usernameAttribute ?? '',
    subjectAttribute: ldap?.subjectAttribute ?? '',
    memberAttribute: ldap?.memberAttribute ?? '',
    groupNameAttribute: ldap?.groupNameAttribute ?? '',
    userFilter: ldap?.userFilter ?? '',
    serverName: ldap?.serverName ?? '',
    ca: oidc?.ca ?? ldap?.ca ?? '',
    mapping: provider?.mapping ?? [],
    defaultRoles: new Set(provider?.defaultRoles ?? []),
    graceMinutes: provider?.graceMinutes === undefined ? '' : String(provider.graceMinutes),
  };
}

/** Returns the texts that are filled in. */
const filled = <Key extends string>(texts: Record<Key, string>): Partial<Record<Key, string>> =>
  Object.fromEntries(Object.entries<string>(texts).filter(([, text]) => text.trim() !== '')) as Partial<
    Record<Key, string>
  >;

/** Returns the settings of the form; a secret that was not typed keeps its mask, and parts that the form does not show stay. */
export function providerOf(
  draft: ProviderDraft,
  type: Provider['type'],
  stored: Provider | undefined,
): Settings {
  const common = {
    ...filled({ title: draft.title }),
    enabled: draft.isEnabled,
    mapping: [...draft.mapping],
    defaultRoles: [...draft.defaultRoles],
    ...(draft.graceMinutes && { graceMinutes: Number(draft.graceMinutes) }),
  };
  if (type === 'oidc') {
    const { clientAuthentication, clientSecret } = stored?.oidc ?? {};
    const secret = draft.clientSecret || clientSecret;
    const scopes = draft.scopes.split(/\s+/).filter(Boolean);
    return {
      ...common,
      oidc: {
        issuer: draft.issuer.trim(),
        clientId: draft.clientId.trim(),
        ...(secret && { clientSecret: secret }),
        ...(clientAuthentication && { clientAuthentication }),
        ...(scopes.length > 0 && { scopes }),
        ...filled({ groupsClaim: draft.groupsClaim, usernameClaim: draft.usernameClaim, ca: draft.ca }),
      },
    };
  }
  const { displayNameAttribute, emailAttribute, bindPassword } = stored?.ldap ?? {};
  const password = draft.bindPassword || bindPassword;
  return {
    ...common,
    ldap: {
      url: draft.url.trim(),
      userBase: draft.userBase.trim(),
      nested: draft.nested,
      ...(password && { bindPassword: password }),
      ...(displayNameAttribute && { displayNameAttribute }),
      ...(emailAttribute && { emailAttribute }),
      ...filled({
        bindDn: draft.bindDn,
        groupBase: draft.groupBase,
        usernameAttribute: draft.usernameAttribute,
        subjectAttribute: draft.subjectAttribute,
        memberAttribute: draft.memberAttribute,
        groupNameAttribute: draft.groupNameAttribute,
        userFilter: draft.userFilter,
        serverName: draft.serverName,
        ca: draft.ca,
      }),
    },
  };
}
