import type { ServiceError } from '#server/kernel/errors.ts';
import type { ApiAnswer } from '../calls/call.service.ts';
import type { PackageResult } from '../packages/package-outcome.ts';

/** Codes with which adapters report the outcome of a call. */
const ANSWERED = 'AD.200';
const FAILED = 'AD.500';

/** The call of a task that the face serves. */
type Call = {
  /** Names of the adapter and of the task. */
  adapter: string;
  task: string;
  /** Name of the outgoing value. */
  output: string;
};

/** Returns the result of a face's task in the form of adapters, which workflows made for one read. */
export function faceResultOf(call: Call, { ok, status, headers, body }: ApiAnswer): PackageResult {
  if (ok) {
    const result = { icode: ANSWERED, code: status, response: body ?? {}, headers };
    return { ok: true, outgoing: { [call.output]: result } };
  }
  const raw = { status, response: textOf(body) };
  const about = { status, response: body, headers, raw_response: raw };
  return failed(call, `Error ${status} received on request`, status, about);
}

/** Returns the result of a face's task that got no answer. */
export function faceFailureOf(call: Call, { code, issues, extra, message }: ServiceError): PackageResult {
  return failed(call, message, null, { ...extra, code, ...(issues && { issues }) });
}

function failed(
  { adapter, task }: Call,
  displayString: string,
  status: number | null,
  about: Readonly<Record<string, unknown>>,
): PackageResult {
  const code = status !== null && { code: status };
  const raw = 'raw_response' in about && { raw_response: about.raw_response };
  const recommendation = 'Compare the values of the task with the documentation of the other system.';
  return {
    ok: false,
    error: {
      icode: FAILED,
      ...code,
      IAPerror: { origin: `${adapter}-${task}`, displayString, recommendation, ...code, ...raw },
      ...about,
      message: displayString,
    },
  };
}

/** Returns a text as it is, nothing as the empty text, and anything else as JSON. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body === undefined || body === null ? '' : (JSON.stringify(body) ?? '');
}
