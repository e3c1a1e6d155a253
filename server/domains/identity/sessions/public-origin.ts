import { invalid } from '#server/kernel/errors.ts';

/** The parts of a request's context that say under which address browsers reach this platform. */
export type OriginContext = {
  platform: { config: { publicUrl?: string | undefined } };
  request: { origin?: string | undefined };
};

/**
 * Returns the origin under which browsers reach this platform, such as `https://nms.example.net`: `PUBLIC_URL`, or that of the
 * request.
 *
 * @throws ServiceError BAD_REQUEST when the request names no host
 */
export function publicOriginOf({ platform, request }: OriginContext): string {
  const origin = platform.config.publicUrl ?? request.origin;
  if (!origin) throw invalid(['host'], 'is required: the address of this platform is unknown without it');
  return origin;
}
