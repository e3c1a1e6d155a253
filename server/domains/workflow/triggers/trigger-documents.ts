import {
  EndpointTrigger,
  EventTrigger,
  type ImportedTrigger,
  ManualTrigger,
  ScheduleTrigger,
  type Trigger,
} from '#db/schemas/workflow/trigger.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { keptStamps, type Maker, without } from '../automations/automation-documents.ts';
import { nextRun, scheduleIssues } from './schedule.ts';

/** Revision of the form that triggers are stored in: that of the exports we read. */
const FORM = 3;
/** Longest name, source and topic: indexes hold them. */
const LONGEST = 255;

/** Members that only the server writes; what a request says of them means nothing. */
export const KEPT = ['type', 'lastExecuted', 'lastResult', 'nextRunAt', 'locked', 'migrationVersion'];

const SHAPES = {
  manual: ManualTrigger.shape,
  endpoint: EndpointTrigger.shape,
  eventSystem: EventTrigger.shape,
  schedule: ScheduleTrigger.shape,
};

/** Members that a PATCH may set, by type (contract/lifecycle#6.2). */
export const editableOf = (type: Trigger['type']): string[] =>
  Object.keys(SHAPES[type]).filter((name) => !KEPT.includes(name));

/**
 * What is wrong with a trigger whose members have the right types (contract/lifecycle#6.2), but for its schema
 * (trigger-schema.service.ts).
 *
 * @param path where it stands in the request
 */
export function triggerIssues(trigger: ImportedTrigger, path: (string | number)[]): Issue[] {
  const issues: Issue[] = [];
  const tell = (member: string, message: string) =>
    issues.push({ path: [...path, member], message, code: 'invalid_value' });
  const named = (member: string, text: string) => {
    if (text === '' || text.length > LONGEST) tell(member, `must have 1 to ${LONGEST} characters`);
  };
  named('name', trigger.name);
  if ((trigger.actionType ?? 'automations') !== 'automations') tell('actionType', 'must be automations');
  if (trigger.type === 'schedule') issues.push(...scheduleIssues(trigger, path));
  if (trigger.type === 'endpoint' && (trigger.verb ?? 'POST') !== 'POST') tell('verb', 'must be POST');
  if (trigger.type === 'eventSystem') {
    named('source', trigger.source);
    named('topic', trigger.topic);
  }
  return issues;
}

/** When a trigger is due next, seen from now: never while it is off (null), nothing for what no clock starts. */
const due = (trigger: ImportedTrigger, now: Date) =>
  trigger.type === 'schedule'
    ? { nextRunAt: trigger.enabled ? nextRun(trigger, now.getTime()) : null, locked: false }
    : {};

/**
 * A trigger that is made now for an automation; members that we do not know stay.
 *
 * @param runAs the account for which it runs; absent: whoever makes it
 */
export function newTrigger(
  given: ImportedTrigger,
  { id, actionId, runAs }: { id: string; actionId: string; runAs?: string },
  { account, now }: Maker,
): Trigger {
  const whole = {
    ...without(
      given,
      KEPT.filter((name) => name !== 'type'),
    ),
    enabled: given.enabled ?? true,
  };
  // The union member is the one that was given: only members that all types have were added.
  return {
    ...whole,
    ...(given.type === 'endpoint' && { verb: 'POST', schema: given.schema ?? null }),
    ...due(whole, now),
    _id: id,
    description: given.description ?? '',
    actionType: 'automations',
    actionId,
    runAs: runAs ?? account,
    lastExecuted: null,
    created: now.toISOString(),
    createdBy: account,
    lastUpdated: now.toISOString(),
    lastUpdatedBy: account,
    migrationVersion: given.migrationVersion ?? FORM,
  } as Trigger;
}

/** Members that say when a schedule starts. */
const TIMES = ['enabled', 'firstRunAt', 'repeatUnit', 'repeatFrequency', 'repeatInterval'] as const;

/**
 * The document after a write over one of the same type. What is due stays due, unless the write changes when the trigger
 * starts: a new name must not make a schedule forget what it missed.
 *
 * @param runAs the account for which it runs from now on; absent: whoever writes it
 */
export function changedTrigger(
  stored: Trigger,
  next: Trigger,
  { account, now, runAs = account }: Maker & { runAs?: string },
): Trigger {
  const before: Record<string, unknown> = stored;
  const after: Record<string, unknown> = next;
  const sameTimes = TIMES.every((name) => (before[name] ?? null) === (after[name] ?? null));
  const timed =
    sameTimes && stored.type === 'schedule' ? { nextRunAt: stored.nextRunAt ?? null } : due(next, now);
  const kept = Object.fromEntries(
    [...KEPT, '_id', 'created', 'createdBy'].flatMap((name) =>
      Object.hasOwn(before, name) ? [[name, before[name]]] : [],
    ),
  );
  return {
    ...next,
    ...kept,
    ...timed,
    runAs,
    lastUpdated: grownStamp(now, stored.lastUpdated),
    lastUpdatedBy: account,
    // The type is the stored one's, and so are its members.
  } as Trigger;
}

/** The document that an import stores: its stamps kept, or those of the one it is written over. */
export function importedTrigger(
  given: ImportedTrigger,
  place: { id: string; actionId: string },
  maker: Maker,
  before?: Trigger,
): Trigger {
  const made = newTrigger(given, place, maker);
  if (before) return changedTrigger(before, made, maker);
  return { ...made, ...keptStamps(given, maker) };
}

/** A copy of a trigger for a clone of its automation, and what of it is not as it was (contract/endpoints#4.21). */
export function clonedTrigger(
  original: Trigger,
  place: { id: string; actionId: string },
  maker: Maker,
): { trigger: Trigger; automaticChanges: string[] } {
  const { type } = original;
  if ((type !== 'schedule' && type !== 'eventSystem') || original.enabled === false) {
    return { trigger: newTrigger(original, place, maker), automaticChanges: [] };
  }
  const what = type === 'schedule' ? 'schedule' : 'event';
  return {
    trigger: newTrigger({ ...original, enabled: false }, place, maker),
    automaticChanges: [`Disabled: the ${what} would start both automations`],
  };
}

/** The form that a trigger fills in, by name or id, and the transformation that it runs, by id; null: none. */
export function referencesOf(trigger: ImportedTrigger): { formId: string | null; jst: string | null } {
  const members: Record<string, unknown> = trigger;
  const textIn = (member: string) => (typeof members[member] === 'string' ? members[member] : null);
  return { formId: textIn('formId'), jst: textIn('jst') };
}

/** What is told when a file names an account for which a trigger shall run. */
export const runAsChanges = ({ runAs }: ImportedTrigger, stored: Trigger): string[] =>
  runAs === undefined || runAs === null || runAs === stored.runAs
    ? []
    : ['runAs is not taken from a file: this trigger runs as whoever imported it'];

/** What is told when a trigger did not get the route that it asked for. */
export const routeChanges = (asked: ImportedTrigger, stored: Trigger): string[] =>
  asked.type === 'endpoint' && stored.type === 'endpoint' && asked.routeName !== stored.routeName
    ? [`Route ${asked.routeName} is taken: this trigger answers at ${stored.routeName}`]
    : [];
