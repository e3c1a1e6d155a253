import type { SentEvent } from '#db/schemas/notifications/delivery.ts';
import type { Severity } from '#db/schemas/notifications/rule.ts';
import { clipped } from '#server/kernel/text/clipped.ts';

/** A notification before it has the form of its channel. */
export type Notification = {
  /** The idempotency key. */
  id: string;
  rule: { id: string; name: string } | null;
  /** At most 100 events. */
  events: readonly SentEvent[];
  /** Number of further events, which are not sent. */
  omitted: number;
};

/**
 * The event of a test.
 *
 * @param time as ISO 8601
 * @param channel name of the channel that is tested
 */
export const testEvent = (time: string, channel: string): SentEvent => ({
  id: '0',
  source: '@vendor/notifications',
  topic: 'test',
  time,
  severity: 'info',
  payload: { message: `This is a test of the notification channel ${channel}` },
});

const RANK: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/**
 * Returns the highest severity of events.
 *
 * @param events at least one
 */
export const highestSeverity = (events: readonly SentEvent[]): Severity =>
  events.reduce<Severity>((worst, { severity }) => (RANK[severity] > RANK[worst] ? severity : worst), 'info');

/** Fields that name what an event is about, the best first. */
const NAMES = ['name', 'remote', 'source', 'job', 'device', 'batchId', 'runId', '_id'];
/** Fields that say what happened. */
const DETAILS = ['message', 'reason', 'detail'];

const firstText = (payload: Readonly<Record<string, unknown>>, fields: readonly string[]) =>
  fields.map((field) => payload[field]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined;

/** Events of the end of a run, and the fields with its counts besides the payload itself. */
const ENDS = /(Finished|Stopped)$/;
const COUNTS = ['totals', 'devices', 'deleted'];

/** Returns how a run ended: its status, and the counts that are not zero. */
function outcomeOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  const counts = [payload, ...COUNTS.map((field) => payload[field] ?? {})].flatMap((fields) =>
    Object.entries(fields)
      .filter(([, value]) => typeof value === 'number' && value > 0)
      .map(([field, value]) => `${field} ${value}`),
  );
  const { status } = payload;
  const all = [...(typeof status === 'string' ? [status] : []), ...counts];
  return all.length > 0 ? all.join(', ') : undefined;
}

/**
 * Returns the path of the console's page about an event.
 *
 * @returns undefined where no page shows it: only jobs and their tasks have one
 */
export function pageOf({ topic, payload }: SentEvent): string | undefined {
  const id = topic.startsWith('task')
    ? payload.jobId
    : /^job(?!Deleted)/.test(topic)
      ? payload._id
      : undefined;
  return typeof id === 'string' ? `/console/jobs/${encodeURIComponent(id)}` : undefined;
}

/** Characters that act on what shows them: controls, and marks that turn the direction of the text after them. */
const ACTING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns an event in one line: its name, what it is about, and what happened.
 *
 * @returns plain text without line ends and control characters: a payload may repeat what a device sent
 */
export function lineOf({ topic, payload }: SentEvent): string {
  const about = firstText(payload, NAMES);
  const outcome = ENDS.test(topic) ? outcomeOf(payload) : undefined;
  const detail = firstText(payload, DETAILS);
  return oneLine([topic, about, outcome, detail].filter((part) => part !== undefined).join(': '), 500);
}

/**
 * Returns the beginning of a text as one line of a message.
 *
 * @param text whatever a device or a user wrote
 * @param most maximum length in characters
 * @returns plain text without line ends and control characters
 */
export const oneLine = (text: string, most: number): string =>
  clip(text.replace(/\s+/g, ' ').replace(ACTING, '\uFFFD'), most);

/**
 * Returns the title of a notification.
 *
 * @returns the event itself, or how many events of the rule there are
 */
export function titleOf({ events, omitted, rule }: Notification): string {
  const [first] = events;
  const count = events.length + omitted;
  if (count === 1 && first) return clip(lineOf(first), 200);
  return `${count} events${rule ? ` of ${oneLine(rule.name, 100)}` : ''}`;
}

/**
 * Returns the first of some values whose sizes do not exceed a limit together.
 *
 * @param limit maximum sum of the sizes
 * @param sizeOf size of one value
 */
export function within<Value>(
  values: readonly Value[],
  limit: number,
  sizeOf: (value: Value) => number,
): Value[] {
  let size = 0;
  const end = values.findIndex((value) => {
    size += sizeOf(value);
    return size > limit;
  });
  return values.slice(0, end === -1 ? values.length : end);
}

/**
 * Returns the lines of a notification with the times of its events.
 *
 * @param room maximum number of lines, and the sum of their sizes as the receiver counts them
 * @returns the lines, and a last one for the events that are left out
 */
export function linesOf(
  { events, omitted }: Notification,
  room?: { lines: number; size: number; sizeOf: (line: string) => number },
): string[] {
  const all = events.map((event) => `${event.time} [${event.severity}] ${lineOf(event)}`);
  const lines = room ? within(all.slice(0, room.lines), room.size, room.sizeOf) : all;
  const rest = events.length + omitted - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

const clip = (text: string, most: number) => (text.length > most ? `${clipped(text, most - 1)}…` : text);
