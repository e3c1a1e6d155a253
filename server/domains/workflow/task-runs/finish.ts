import type { TaskOutcome } from '../tasks/outcome.ts';

/** Returns the outcome of a task that succeeded. */
export const succeeded = (outgoing: TaskOutcome['outgoing'] = {}): TaskOutcome => ({
  finish: 'success',
  outgoing,
});

/**
 * Returns the outcome of a task with a negative result: a condition is false, nothing was found, a request was declined.
 */
export const negative = (outgoing: TaskOutcome['outgoing'] = {}): TaskOutcome => ({
  finish: 'failure',
  outgoing,
});

/** Returns the outcome of a task that failed with an error. @param about further fields for troubleshooting */
export const broken = (message: string, about: Record<string, unknown> = {}): TaskOutcome => ({
  finish: 'error',
  outgoing: {},
  // A message that quotes part of a text may end within a surrogate pair.
  error: { ...about, message: message.toWellFormed() },
});
