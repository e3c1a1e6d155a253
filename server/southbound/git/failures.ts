import { GitFailed } from './ports.ts';

/** Most characters of a message. */
const LONGEST = 1000;

/** What git, curl and ssh print in English, what it means, and what helps; the first that matches counts. */
const FAULTS: readonly { printed: RegExp; means: string; mayRetry?: true }[] = [
  {
    printed: /host key verification failed|identification has changed/i,
    means:
      'the server has none of the host keys that the remote trusts; store its key in the remote once its operator has confirmed it',
  },
  {
    printed: /permission denied \(|load key .*(invalid|error)/i,
    means:
      'the server does not accept the private key; store another one in the remote, or allow its public key on the server',
  },
  {
    printed: /authentication failed|could not read (username|password)|returned error: 40[13]/i,
    means:
      'the server does not accept the credential; store a token in the remote that is valid, and that may read the repository and, to push, write to it',
  },
  {
    printed: /returned error: 30\d/i,
    means:
      'the server redirects to another address, which is not followed; store the address in the remote that it redirects to',
  },
  { printed: /certificate|\bSSL\b|\bTLS\b/i, means: 'TLS failed' },
  { printed: /returned error: (429|5\d\d)/i, means: 'the server cannot serve now', mayRetry: true },
  {
    printed: /not found|does not appear to be a git repository/i,
    means: 'the server has no such repository',
  },
  { printed: /timed? ?out|too slow/i, means: 'the server does not answer in time', mayRetry: true },
  {
    printed: /connection refused|failed to connect|couldn't connect|unreachable|no route/i,
    means: 'the server cannot be reached',
    mayRetry: true,
  },
  {
    printed: /hash algorithm|mismatched algorithms/i,
    means: 'the repository names its objects by another hash than SHA-1, which is not supported',
  },
  { printed: /protocol error|not valid: is this a git/i, means: 'the answer is not that of a Git server' },
  { printed: /out of memory|exceeds (the )?limit|attempting to allocate/i, means: 'the answer is too large' },
  {
    printed:
      /early eof|hung up|could not read from remote|unexpected disconnect|rpc failed|connection (reset|closed)|broken pipe|closed by remote/i,
    means: 'the server ended the connection',
    mayRetry: true,
  },
];

/**
 * Returns the error for a call of git that failed: what it means in the first line, and below what was printed.
 *
 * @param printed what git and its helpers printed, without control characters
 */
export function gitFailure(printed: string): GitFailed {
  const found = FAULTS.find((fault) => fault.printed.test(printed));
  const message = found ? `${found.means}\n${printed}` : printed;
  return new GitFailed(message.slice(0, LONGEST), found?.mayRetry ?? false);
}
