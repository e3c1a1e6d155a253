import type { UseQueryResult } from '@tanstack/react-query';
import { retryFailed } from '~/api/client.ts';
import { problemOfRead } from '~/api/problem.ts';
import { Button } from '../button.tsx';

type Read = Pick<UseQueryResult<unknown, unknown>, 'data' | 'error' | 'isLoading'>;

/** What choices are read from: one query, or several. */
export type Reads = Read | readonly Read[];

const listOf = (reads: Reads | undefined): readonly Read[] =>
  reads === undefined ? [] : 'data' in reads ? [reads] : reads;

/** Whether choices are still read for the first time. */
export const isReading = (reads: Reads | undefined): boolean =>
  listOf(reads).some(({ isLoading }) => isLoading);

const failedOf = (reads: Reads | undefined) =>
  listOf(reads).find(({ data, error }) => data === undefined && error);

/** Whether choices could not be read. */
export const isUnread = (reads: Reads | undefined): boolean => failedOf(reads) !== undefined;

/**
 * Says that choices could not be read, with another try: a list without them would say that there are none. Choices that were
 * read before stay, and nothing is said.
 */
export function Unread({ what, from }: { what: string; from: Reads | undefined }) {
  const failed = failedOf(from);
  if (!failed) return null;
  const { status, message, requestId } = problemOfRead(failed.error);
  return (
    <div className="unread" role="alert">
      <span className="field-problem">
        {what}: the choices could not be read. {message}
        {requestId && ` Request ${requestId}.`}
      </span>
      {status !== 403 && (
        <Button variant="quiet" onPress={retryFailed}>
          Try again
        </Button>
      )}
    </div>
  );
}
