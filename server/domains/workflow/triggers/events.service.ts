import { notFound } from '#server/kernel/errors.ts';
import { EVENTS, type EventDefinition } from './events.ts';

/**
 * Lists the events that triggers can wait for, optionally of one source or topic (contract/lifecycle#6.2).
 *
 * @param filter whole names of a source and a topic; undefined ones match every event
 */
export const listEvents = (filter: { source?: string | undefined; topic?: string | undefined }) => ({
  message: 'Successfully retrieved events',
  data: EVENTS.filter(
    ({ source, topic }) => source === (filter.source ?? source) && topic === (filter.topic ?? topic),
  ).map(({ source, topic }) => ({ source, topic })),
  metadata: {},
});

/**
 * Returns one event with the JSON schema of its payload.
 *
 * @param source application that publishes the event
 * @param topic name of the event in that application
 * @throws ServiceError NOT_FOUND
 */
export function getEvent(source: string, topic: string): EventDefinition {
  const found = EVENTS.find((event) => event.source === source && event.topic === topic);
  if (!found) throw notFound('Event', `${source}/${topic}`);
  return found;
}
