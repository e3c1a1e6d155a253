import { isObject } from '#server/kernel/json/objects.ts';
import type { PackageFailure } from '#server/southbound/packages/ports.ts';

/** The error of a task, as workflows read it. */
export type PackageError = { message: string; icode?: unknown; IAPerror: Readonly<Record<string, unknown>> };

/** The outcome of a method call: values of the task, or its error. */
export type PackageResult =
  | { ok: true; outgoing: Readonly<Record<string, unknown>> }
  | { ok: false; error: PackageError & Readonly<Record<string, unknown>> };

/** Returns the result of a method that called back with data. @param output name of the outgoing value */
export const resultOf = (output: string, data: unknown): PackageResult => ({
  ok: true,
  outgoing: output === '' ? {} : { [output]: data },
});

/**
 * Returns the result of a method that reported or threw an error. Packages report `{icode, IAPerror}`; others report a
 * text, or an Error.
 *
 * @param origin `<adapter>-<method>`
 */
export function errorResultOf(origin: string, error: unknown): PackageResult {
  const reported = isObject(error) ? error : {};
  const own = isObject(reported.IAPerror) ? reported.IAPerror : {};
  const message =
    textOf(own.displayString) ?? textOf(reported.message) ?? textOf(error) ?? 'the method reported an error';
  const { icode } = reported;
  const raw = isObject(error) && !isObject(reported.IAPerror) ? { raw_response: error } : {};
  return {
    ok: false,
    error: {
      message,
      ...(icode !== undefined && { icode }),
      IAPerror: { origin, displayString: message, recommendation: '', code: icode ?? null, ...raw, ...own },
    },
  };
}

/** Returns the result of a call that came to nothing. */
export function failureResultOf(
  origin: string,
  { reason, message: why, begun }: PackageFailure,
): PackageResult {
  // The words of a task whose process of this service was lost.
  const message = reason === 'ADAPTER_DIED' && begun ? `interrupted, outcome unknown: ${why}` : why;
  const recommendation = RECOMMENDATIONS[reason] ?? '';
  return {
    ok: false,
    error: {
      message,
      reason,
      stage: begun ? 'call' : 'start',
      retryable: !begun,
      IAPerror: { origin, displayString: message, recommendation, code: reason },
    },
  };
}

const RECOMMENDATIONS: Partial<Record<PackageFailure['reason'], string>> = {
  ADAPTER_REFUSED: 'GET /health/adapters shows the state of the adapter, and its log why it does not start.',
  ADAPTER_DIED: 'The log of the adapter has its last words.',
  CALL_TIMEOUT: 'The method may still be at work: look at the other system before it is called again.',
  OUTPUT_LIMIT: 'Ask for less: with a filter, or in pages.',
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
