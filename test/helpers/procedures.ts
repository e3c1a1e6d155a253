import { TRPCError } from '@trpc/server';
import { ServiceError } from '#server/kernel/errors.ts';
import { ROLES, type Role } from '#server/kernel/roles.ts';
import type { openService } from './service.ts';

type Service = Pick<Awaited<ReturnType<typeof openService>>, 'as'>;

/** The typed procedures of every router area, for one account. */
export type Procedures = Awaited<ReturnType<Service['as']>>;

/** The id of no document. */
export const NOBODY = '65a000000000000000000000';

/** Returns a name that no other document has. */
export const unique = (word: string): string => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/**
 * Returns how a call was rejected: its code, its message, each issue as `path: message`, and its data.
 *
 * @throws what the call throws when that is no error of tRPC; Error when the call succeeds
 */
export async function rejectionOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('the call was not rejected'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TRPCError)) throw error;
  const { issues = [], data } = error.cause instanceof ServiceError ? error.cause : {};
  return {
    code: error.code,
    message: error.message,
    issues: issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    data,
  };
}

/** Returns the paths of the issues for which a call was rejected. */
export const issuePathsOf = async (call: Promise<unknown>): Promise<string[]> =>
  (await rejectionOf(call)).issues.map((issue) => issue.slice(0, issue.indexOf(': ')));

/** Returns the roles that may make a call; every other role is denied it. */
export async function rolesThatMay(
  service: Service,
  call: (procedures: Procedures) => Promise<unknown>,
): Promise<Role[]> {
  const allowed: Role[] = [];
  for (const role of ROLES) {
    const denied = await call(await service.as(role)).then(
      () => false,
      (error: unknown) => error instanceof TRPCError && error.code === 'FORBIDDEN',
    );
    if (!denied) allowed.push(role);
  }
  return allowed;
}
