import { TRPCError } from '@trpc/server';
import { type Issue, ServiceError } from '#server/kernel/errors.ts';
import type { Operation } from '../operations.ts';

/**
 * Renames the fields that an error reports to the names that the caller wrote. The fields of an option object usually are
 * at the top of the query (contract/decisions#get-options), so `limit` must not be reported as `queryOptions.limit`.
 *
 * @param error the error of the procedure
 * @param written top-level names of the request; undefined when they were not read
 * @returns the error to send, the same one when no name differs
 */
export function withWrittenNames(
  error: unknown,
  { container, queried, method }: Pick<Operation, 'container' | 'queried' | 'method'>,
  written: ReadonlySet<string> | undefined,
): unknown {
  if (!container || !queried || !(error instanceof TRPCError)) return error;
  const known = error.cause;
  if (!(known instanceof ServiceError) || !known.issues) return error;
  // contract/endpoints#4.7 has the object itself in the body of a DELETE; a caller who sent nothing gets that form.
  const isWrapped = written?.has(container) || (method === 'DELETE' && !written?.size);
  let { message } = known;
  let isRenamed = false;
  const issues = known.issues.map((issue): Issue => {
    const [first, name, ...rest] = issue.path;
    if (first !== container || name === undefined) return issue;
    if (isWrapped && !written?.has(String(name))) return issue;
    isRenamed = true;
    message = message.replace(issue.path.join('.'), [name, ...rest].join('.'));
    return { ...issue, path: [name, ...rest] };
  });
  if (!isRenamed) return error;
  const { code, data, extra, headers } = known;
  const renamed = new ServiceError(code, message, { issues, data, extra, headers, cause: known.cause });
  return new TRPCError({ code, message, cause: renamed });
}
