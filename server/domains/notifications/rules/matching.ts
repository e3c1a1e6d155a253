import type { NotificationRule, Severity } from '#db/schemas/notifications/rule.ts';

/** An event as the filter of a rule sees it. */
export type FilteredEvent = {
  topic: string;
  severity: Severity;
  subjects: readonly string[];
  /** Names of the tags of what it is about. */
  tags: ReadonlySet<string>;
};

/**
 * Returns whether a rule names the topic of an event.
 *
 * @param topic name of the event
 */
export const hasTopic = ({ topics }: Pick<NotificationRule, 'topics'>, topic: string): boolean =>
  topics.includes(topic) || topics.includes('*');

/**
 * Returns whether an event meets a rule: its topic, and every condition of the filter.
 *
 * @param event with the names of its tags and the ids of its subjects
 */
export function meetsRule(rule: Pick<NotificationRule, 'topics' | 'filter'>, event: FilteredEvent): boolean {
  if (!hasTopic(rule, event.topic)) return false;
  const { severities = [], tags = [], subjects = [] } = rule.filter ?? {};
  if (severities.length > 0 && !severities.includes(event.severity)) return false;
  if (tags.length > 0 && !tags.some((tag) => event.tags.has(tag))) return false;
  return subjects.length === 0 || subjects.some((subject) => event.subjects.includes(subject));
}
