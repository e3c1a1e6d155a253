/** A user as a directory describes it. */
export type DirectoryUser = {
  /** Identifies the user in the directory for good. */
  subject: string;
  username: string;
  firstname: string;
  email: string;
  /** Names of the user's groups there; of an LDAP directory their distinguished names as well. */
  groups: readonly string[];
};

/** Most names of groups of a user that are read. */
export const MOST_GROUPS = 5000;
