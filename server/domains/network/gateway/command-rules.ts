import type { Issue } from '#server/kernel/errors.ts';

/** Maximum length of a command, and number of commands in one call (contract/engines#device-limits). */
export const BOUNDS = { length: 4096, commands: 100 };

const CONTROL = /\p{Cc}/u;

/**
 * Returns the issues of commands before they are sent: a line end would add another command, TAB completes words, and
 * `?` asks a network system for help and leaves the rest on the command line.
 *
 * @param commands lines to send
 * @param at path of the commands in the request
 * @param abbreviates true: the device is a network system, not a shell
 */
export function commandIssues(
  commands: readonly string[],
  at: (string | number)[],
  abbreviates: boolean,
): Issue[] {
  return commands.flatMap((command, index) => {
    const issueOf = (message: string, code: string): Issue[] => [{ path: [...at, index], message, code }];
    if (command.trim() === '') return issueOf('is empty', 'too_small');
    if (CONTROL.test(command))
      return issueOf('must not contain control characters or line ends', 'control_character');
    if (command.length > BOUNDS.length)
      return issueOf(`must not be longer than ${BOUNDS.length} characters`, 'too_big');
    return abbreviates && /\?\s*$/.test(command)
      ? issueOf('must not end in ?: the device would wait for the rest of the line', 'help_request')
      : [];
  });
}
