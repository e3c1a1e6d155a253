import type { GitRemoteInput, GitRemoteUpdates } from '#db/schemas/git/remote.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { nextMoment } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { isReference } from '#server/kernel/secrets/references.ts';
import { keptIssues, type SecretFields, SHOWN } from '#server/kernel/secrets/secret-fields.ts';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { isCertificates } from '#server/kernel/validation/certificates.ts';
import { issue } from '#server/kernel/validation/document-issues.ts';

/** The fields of a remote that are sealed. */
export const REMOTE_SECRETS: SecretFields<'token' | 'privateKey'> = {
  table: 'git_remotes',
  fields: ['token', 'privateKey'],
  path: ['remote', 'credential'],
};

const HOST_KEY = /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,3}$/;
const SCP = /^([A-Za-z0-9_][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):\/?([^/:\p{Cc}-]\P{Cc}*)$/u;

/**
 * Returns how git is given a repository: as `user@host:path` where it is written so, because that path begins in the home
 * folder of the user, and the path of a URL at the root.
 *
 * @param text as a caller sends it
 * @returns null when it cannot be a repository
 */
export function repositoryArgument(text: string): string | null {
  const url = repositoryUrl(text);
  return url !== null && SCP.test(text) ? text : url;
}

/**
 * Returns the URL of a repository; null when it cannot be one. Only HTTPS, HTTP and SSH: other protocols run programs or
 * read files.
 *
 * @param text URL, or `user@host:path`
 */
export function repositoryUrl(text: string): string | null {
  const [, user, host, path] = SCP.exec(text) ?? [];
  const written = path === undefined ? text : `ssh://${user}@${host}/${path}`;
  if (!/^(https?|ssh):\/\//i.test(written) || !URL.canParse(written)) return null;
  const url = new URL(written);
  if (url.password || url.search || url.hash || url.hostname === '' || url.hostname.startsWith('-'))
    return null;
  if (url.protocol !== 'ssh:' && url.username) return null;
  if (url.username !== '' && !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(url.username)) return null;
  if (!/^\/[A-Za-z0-9._~/%+@-]+$/.test(url.pathname)) return null;
  return url.href;
}

/**
 * Returns whether a text can name a branch: what `git check-ref-format` accepts, in plain characters.
 *
 * @param text as a caller sends it
 */
export const isBranch = (text: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/.test(text) &&
  !/\.\.|\/\/|\/\.|\.lock(\/|$)|[/.]$/.test(text) &&
  text !== 'HEAD';

/**
 * Returns whether a text can be the folder of a repository.
 *
 * @param text path without a leading slash; empty: the root
 */
export const isFolder = (text: string): boolean =>
  text === '' ||
  text
    .split('/')
    .every((part) => /^[A-Za-z0-9_][A-Za-z0-9 ._-]*$/.test(part) && !/[. ]$/.test(part) && part !== '.git');

/**
 * Returns everything that is wrong with a remote, each issue with its field.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached; true also allows plain HTTP
 * @param now the time from which a schedule must have a next run
 * @returns an empty list for a remote that can be stored
 */
export function remoteIssues(remote: GitRemoteInput, allowPrivateTargets: boolean, now: Date): Issue[] {
  const { url, branch, path = '', kinds, schedule, scheduledAction, direction } = remote;
  const repository = repositoryUrl(url);
  const parsed = repository === null ? null : new URL(repository);
  const isOther = scheduledAction && direction !== 'both' && scheduledAction !== direction;
  return [
    ...urlIssues(parsed, allowPrivateTargets),
    ...issueIf(!isBranch(branch), ['branch'], 'is not the name of a branch'),
    ...issueIf(!isFolder(path), ['path'], 'must be a folder such as network/lab, without . and ..'),
    ...hostKeyIssues(remote),
    ...(parsed?.protocol === 'ssh:' ? sshIssues(remote) : httpsIssues(remote)),
    ...credentialIssues(remote),
    ...(schedule ? scheduleIssues(schedule, ['remote', 'schedule'], now.getTime()) : []),
    ...issueIf(isOther, ['scheduledAction'], `the remote is for ${direction} only`),
    ...issueIf(new Set(kinds).size !== kinds.length, ['kinds'], 'must name each kind once'),
  ];
}

const issueIf = (isFault: unknown, field: (string | number)[], message: string, code?: string): Issue[] =>
  isFault ? [issue(['remote', ...field], message, code)] : [];

function urlIssues(url: URL | null, allowPrivateTargets: boolean): Issue[] {
  const forms = 'https://host/path, ssh://user@host/path or user@host:path';
  if (url === null) return issueIf(true, ['url'], `must be ${forms}, without a credential`);
  const fault = hostFault(url.hostname.replace(/^\[|\]$/g, ''), allowPrivateTargets);
  const isPlain = url.protocol === 'http:' && !allowPrivateTargets;
  return [
    ...issueIf(fault, ['url'], `the host ${fault}`),
    ...issueIf(isPlain, ['url'], 'must use https: plain HTTP needs ALLOW_PRIVATE_TARGETS=1'),
  ];
}

const hostKeyIssues = ({ hostKeys = [] }: GitRemoteInput): Issue[] =>
  hostKeys.flatMap((key, index) =>
    issueIf(
      !HOST_KEY.test(key),
      ['hostKeys', index],
      'must be `<type> <key>`, for example ssh-ed25519 AAAA…',
    ),
  );

const PRIVATE_KEY = ['credential', 'privateKey'];

const sshIssues = ({ credential, hostKeys = [], ca }: GitRemoteInput): Issue[] => [
  ...issueIf(!credential?.privateKey, PRIVATE_KEY, 'is required for SSH', 'required'),
  ...issueIf(hostKeys.length === 0, ['hostKeys'], 'is required for SSH', 'required'),
  ...issueIf(credential?.token, ['credential', 'token'], 'is for HTTPS'),
  ...issueIf(ca, ['ca'], 'is for HTTPS'),
];

const httpsIssues = ({ credential }: GitRemoteInput): Issue[] =>
  issueIf(credential?.privateKey, PRIVATE_KEY, 'is for SSH');

function credentialIssues({ credential, ca }: GitRemoteInput): Issue[] {
  const key = credential?.privateKey;
  const isOwnKey = key && key !== SHOWN && !isReference(key);
  const isUnusable = isOwnKey && (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key) || /ENCRYPTED/.test(key));
  return [
    ...issueIf(ca && !isCertificates(ca), ['ca'], 'must be certificates in the PEM format'),
    ...issueIf(isUnusable, PRIVATE_KEY, 'must be a private key that is not encrypted'),
  ];
}

/**
 * Returns when the schedule of a remote starts the next run, in milliseconds since 1970; null: never.
 *
 * @param now the time after which the next start is searched
 */
export const nextRunOf = ({ enabled = true, schedule }: GitRemoteInput, now: Date): number | null =>
  enabled && schedule ? nextMoment(schedule, now.getTime() + 1) : null;

/**
 * Returns a text without the secrets of a remote, in any form in which a server may repeat them.
 *
 * @param text a message of git, or of a server
 * @returns the text with `********` in their places
 */
export function withoutSecrets(text: string, { credential }: Pick<GitRemoteInput, 'credential'>): string {
  const { token, username = 'git', privateKey } = credential ?? {};
  const linesOfKey = (privateKey ?? '').split('\n').filter((line) => line.length > 40);
  return secretMask([...(token ? [token] : []), ...linesOfKey], username ?? 'git')(text);
}

/**
 * A secret never follows a remote to another host: the user who moves it must send the secret again.
 *
 * @param before the remote as stored
 * @param after the remote with the updates
 * @param updates the fields that the caller sent
 * @returns an issue for each secret that has to be sent again
 */
export function movedIssues(
  before: GitRemoteInput,
  after: GitRemoteInput,
  updates: GitRemoteUpdates,
): Issue[] {
  const hostOf = ({ url }: GitRemoteInput) => {
    const parsed = new URL(repositoryUrl(url) ?? 'none:');
    return `${parsed.protocol}//${parsed.host}`;
  };
  if (hostOf(before) === hostOf(after)) return [];
  const credentials = {
    before: before.credential ?? {},
    after: after.credential ?? {},
    updates: updates.credential ?? {},
  };
  return keptIssues(REMOTE_SECRETS, credentials, 'The remote is on another host: send the secret anew');
}
