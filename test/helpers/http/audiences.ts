import type { Operation } from '#server/http/operations.ts';

/**
 * Returns whether an operation lets in admins alone, whatever its input: it denies all others before it reads that, which
 * test/roles.test.ts covers.
 */
export const isForAdmins = ({ meta: { audience } }: Operation): boolean =>
  typeof audience === 'object' && audience.every((role) => role === 'admin');
