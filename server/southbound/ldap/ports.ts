/** A directory, and the account with which it is searched. The password must not outlive the call. */
export type LdapTarget = {
  /** Name of the provider, for messages. */
  name: string;
  /** `ldaps://`, or `ldap://`, which uses StartTLS. */
  url: string;
  ca?: string | undefined;
  /** Name that the certificate must be for, when it is not the host. */
  serverName?: string | undefined;
  /** Absent: anonymous. */
  bindDn?: string | undefined;
  bindPassword?: string | undefined;
};

/** A condition; values are sent as they are, so that none can change the condition (RFC 4511 §4.5.1.7). */
export type LdapCondition =
  | { and: readonly LdapCondition[] }
  | { or: readonly LdapCondition[] }
  | { equals: readonly [attribute: string, value: string | Buffer] }
  | { rule: string; equals: readonly [attribute: string, value: string] }
  /** A condition that an administrator wrote (RFC 4515). */
  | { text: string };

export type LdapSearch = {
  base: string;
  scope: 'base' | 'sub';
  where: LdapCondition;
  attributes: readonly string[];
  /** Maximum number of entries; the search fails beyond it. */
  most: number;
};

/** An entry that was found: its distinguished name, and the values of its attributes. */
export type LdapEntry = {
  dn: string;
  values: (attribute: string) => string[];
  bytes: (attribute: string) => Buffer | null;
};

/** A connection on which the directory was searched. */
export type LdapConnection = {
  search: (search: LdapSearch) => Promise<LdapEntry[]>;
  /** Returns whether the directory accepts a password; on a connection of its own. */
  verify: (dn: string, password: string) => Promise<boolean>;
};

/**
 * Connections to LDAP directories, always with TLS; the address that was checked is the one that is connected to.
 * Failures are thrown as a ServiceError with `reason`.
 */
export type LdapPort = {
  connect: <Value>(
    target: LdapTarget,
    work: (connection: LdapConnection) => Promise<Value>,
  ) => Promise<Value>;
};
