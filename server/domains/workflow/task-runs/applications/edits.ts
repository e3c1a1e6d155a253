import type { Verdict } from '#server/southbound/orchestrator/ports.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { broken, succeeded } from '../finish.ts';
import { TaskInputError } from '../task-input.ts';

/** Maximum number of characters of an XML document. */
const MOST_XML = 4 * 1024 * 1024;

/**
 * Returns an XML document that may be sent. Declarations of document types are rejected: entities could name files of the
 * receiver, or expand without end.
 *
 * @throws TaskInputError
 */
export function xmlOf(variable: string, written: string): string {
  const xml = written.trim();
  if (!/^<[A-Za-z_?!]/.test(xml)) throw new TaskInputError(variable, 'must be an XML document');
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new TaskInputError(variable, 'must not declare a document type');
  if (xml.length > MOST_XML)
    throw new TaskInputError(variable, `must not be longer than ${MOST_XML} characters`);
  return xml;
}

/** The changes of one device, as the orchestrator would send them. */
type DeviceChange = { name: string; data: string };

/** Returns the changes of devices in the result of a dry run: `{native: {device: [{name, data}]}}`. */
function changesIn(diff: unknown): DeviceChange[] {
  const native = (diff as { native?: { device?: unknown } } | undefined)?.native?.device;
  return (Array.isArray(native) ? native : []).map((one: { name?: unknown; data?: unknown }) => ({
    name: String(one?.name ?? ''),
    data: String(one?.data ?? ''),
  }));
}

/** Returns a verdict as workflows read it: they look for SUCCESS in the status or the message. */
const resultOf = ({ isValid, message, diff }: Verdict) => ({
  status: isValid ? ('SUCCESS' as const) : ('FAILURE' as const),
  message: isValid ? 'SUCCESS' : `FAILURE: ${message}`,
  ...(diff !== undefined && { devices: changesIn(diff) }),
});

/** Returns the outcome of a dry run: rejected configuration is data, so that a user can look at it. */
export const triedOutcome = (verdict: Verdict): TaskOutcome => succeeded({ result: resultOf(verdict) });

/** Returns the outcome of a commit; configuration that the orchestrator rejects is an error, and nothing was changed. */
export function committedOutcome(adapter: string, verdict: Verdict): TaskOutcome {
  const result = resultOf(verdict);
  if (verdict.isValid) return succeeded({ result });
  const about = { status: result.status, reason: 'CONFIGURATION_REJECTED' };
  return { ...broken(`${adapter}: ${verdict.message}`, about), outgoing: { result } };
}
