/** A repository as it is reached; the settings hold decrypted secrets and must not outlive the call. */
export type GitTarget = {
  /** `https://host/path`, `http://…` or `ssh://user@host/path`, without a credential. */
  url: string;
  /** How git is given the repository: the URL, or `user@host:path`. */
  repository: string;
  /** Account and token for HTTPS. */
  username?: string | undefined;
  token?: string | undefined;
  /** Private key for SSH, in the format of OpenSSH or PEM, not encrypted. */
  privateKey?: string | undefined;
  /** Certificates of the authorities that are trusted for HTTPS, in PEM; absent: those of the system. */
  ca?: string | undefined;
  /** Lines `<type> <key>`: the host keys that are trusted. */
  hostKeys: readonly string[];
};

/** A file of a commit: its path, the id of its content, and its size in bytes. */
export type GitFile = { path: string; id: string; size: number };

/** An entry of a commit that is not read: its path, a text that differs when what it holds differs, and the reason. */
export type RejectedEntry = { path: string; id: string; reason: string };

/** A commit to make: files with their new content, null for those that are deleted. */
export type NewCommit = {
  message: string;
  author: { name: string; email: string };
  /** In milliseconds since 1970. */
  time: number;
  files: ReadonlyMap<string, string | null>;
};

/** A copy of one branch of a repository in a folder of its own, without a working tree. */
export type GitRepository = {
  /** The commit of the branch; null when the repository has no such branch. */
  head: string | null;
  /**
   * Returns the plain files below a folder; symbolic links, submodules, files that are too large and names that are not UTF-8
   * are rejected.
   *
   * @throws GitFailed when the folder is none in the repository
   */
  list: (folder: string) => Promise<{ files: GitFile[]; rejected: RejectedEntry[] }>;
  /** Returns the content of files by their ids; null: it is not UTF-8 text. */
  read: (ids: readonly string[]) => Promise<Map<string, string | null>>;
  /** Adds commits after the head. @returns their ids */
  commit: (commits: readonly NewCommit[]) => Promise<string[]>;
  /** Pushes the commits to a branch. @returns false when the branch has moved meanwhile: nothing was pushed */
  push: (branch: string) => Promise<boolean>;
};

/** Reaches Git repositories with the program git. Failures are thrown as GitFailed. */
export type GitPort = {
  /**
   * Fetches the newest commit of a branch and uses it; the copy is removed afterwards.
   *
   * @param folder an empty folder's path, which is created and removed
   */
  use: <Result>(
    request: { target: GitTarget; branch: string; folder: string; signal: AbortSignal },
    use: (repository: GitRepository) => Promise<Result>,
  ) => Promise<Result>;
};

/** Thrown when the program git fails; the message names the fault and has what git printed, without control characters. */
export class GitFailed extends Error {
  /** Whether the same may succeed a little later: the server was not reached, or broke off. */
  readonly mayRetry: boolean;
  constructor(message: string, mayRetry = false) {
    super(message);
    this.mayRetry = mayRetry;
  }
}
