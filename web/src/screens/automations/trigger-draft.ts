import type { Inputs } from '~/api/client.ts';
import { scheduleOf as ruleOf, type ScheduleDraft } from '~/ui/schedule/schedule-draft.ts';
import type { Trigger } from './trigger-state.tsx';

type GivenTrigger = Inputs['operationsManager']['createTrigger']['trigger'];
type TriggerChange = Inputs['operationsManager']['updateTrigger']['trigger'];
type EndpointTrigger = Extract<Trigger, { type: 'endpoint' }>;
type ScheduleTrigger = Extract<Trigger, { type: 'schedule' }>;
type Missed = NonNullable<ScheduleTrigger['processMissedRuns']>;
type Unit = NonNullable<ScheduleTrigger['repeatUnit']>;

/** A trigger while it is edited: the fields of all types are kept, and `type` says which of them count. */
export type TriggerDraft = {
  name: string;
  description: string;
  isEnabled: boolean;
  type: Trigger['type'];
  formId: string;
  /** Whether each field of the input becomes a variable of its own. */
  isSeparate: boolean;
  routeName: string;
  /** Publisher and name of an event, separated by a space. */
  event: string;
  /** JSON schema of the input, as text. */
  schema: string;
  /** Id of the transformation that makes the job variables of the input; empty: none. */
  transformation: string;
  missed: Missed;
  /** Whether it starts by a rule, or at a first moment and then in intervals. */
  times: 'rule' | 'moment';
  /** The first or earliest start in UTC, as a field of date and time has it. */
  firstStart: string;
  /** `interval`: a stored interval in milliseconds, which stays. */
  unit: Unit | 'once' | 'interval';
  frequency: string;
};

const NEW: TriggerDraft = {
  name: '',
  description: '',
  isEnabled: true,
  type: 'manual',
  formId: '',
  isSeparate: false,
  routeName: '',
  event: '',
  schema: '',
  transformation: '',
  missed: 'none',
  times: 'rule',
  firstStart: '',
  unit: 'once',
  frequency: '1',
};

/** Between the publisher and the name of an event, neither of which has a space. */
const SEPARATOR = ' ';

/** Returns the value of the field for an event. */
export const eventKey = ({ source, topic }: { source: string; topic: string }): string =>
  `${source}${SEPARATOR}${topic}`;

const minuteOf = (at: number | null | undefined): string =>
  typeof at === 'number' ? new Date(at).toISOString().slice(0, 16) : '';

/** Returns what the form shows of a trigger; absent: a new one. */
export function triggerDraftOf(trigger: Trigger | undefined): TriggerDraft {
  if (!trigger) return NEW;
  const { name, description = '', enabled, type } = trigger;
  const isSeparate = trigger.legacyWrapper === false;
  const common = { ...NEW, name, description, isEnabled: enabled !== false, type, isSeparate };
  switch (trigger.type) {
    case 'manual':
      return { ...common, formId: trigger.formId ?? '' };
    case 'endpoint':
      return { ...common, routeName: trigger.routeName, ...checkedDraftOf(trigger) };
    case 'eventSystem':
      return { ...common, event: eventKey(trigger), ...checkedDraftOf(trigger) };
    case 'schedule':
      return {
        ...common,
        formId: trigger.formId ?? '',
        missed: trigger.processMissedRuns ?? 'none',
        times: trigger.schedule ? 'rule' : 'moment',
        firstStart: minuteOf(trigger.firstRunAt),
        unit: trigger.repeatUnit ?? (trigger.repeatInterval ? 'interval' : 'once'),
        frequency: String(trigger.repeatFrequency ?? 1),
      };
  }
}

const checkedDraftOf = ({ schema, jst }: Pick<EndpointTrigger, 'schema' | 'jst'>) => ({
  schema: schemaText(schema),
  transformation: jst ?? '',
});

const schemaText = (schema: object | null | undefined): string =>
  schema ? JSON.stringify(schema, null, 2) : '';

/** What the form holds besides the draft. */
type TriggerParts = {
  rule: ScheduleDraft;
  /** Values of the form, or the input of a schedule. */
  input: Record<string, unknown>;
  /** The trigger that is changed; absent: a new one. */
  stored?: Trigger | undefined;
};

/** Returns the fields of the trigger that a form describes; undefined while one is missing. */
function fieldsOf(draft: TriggerDraft, parts: TriggerParts): Record<string, unknown> | undefined {
  const own = ownFieldsOf(draft, parts);
  const name = draft.name.trim();
  if (own === undefined || name === '') return undefined;
  const { type, description, isEnabled, isSeparate } = draft;
  return { name, description, enabled: isEnabled, type, legacyWrapper: !isSeparate, ...own };
}

function ownFieldsOf(draft: TriggerDraft, parts: TriggerParts): Record<string, unknown> | undefined {
  const { input } = parts;
  const form = {
    formId: draft.formId.trim() || null,
    formData: Object.keys(input).length > 0 ? input : null,
  };
  switch (draft.type) {
    case 'manual':
      return form;
    case 'endpoint':
      return draft.routeName.trim() === ''
        ? undefined
        : { routeName: draft.routeName.trim(), ...checkedOf(draft) };
    case 'eventSystem': {
      const [source = '', topic = ''] = draft.event.split(SEPARATOR);
      return topic === '' ? undefined : { source, topic, ...checkedOf(draft) };
    }
    case 'schedule': {
      const times = timesOf(draft, parts);
      return times && { ...form, ...times, processMissedRuns: draft.missed };
    }
  }
}

/** What the input of a call or an event must be, and what makes job variables of it. */
const checkedOf = ({ schema, transformation }: TriggerDraft) => ({
  schema: schema.trim() === '' ? null : (JSON.parse(schema) as unknown),
  jst: transformation || null,
});

function timesOf(draft: TriggerDraft, { rule, stored }: TriggerParts) {
  const { firstStart, times, unit } = draft;
  const kept = stored?.type === 'schedule' ? stored : undefined;
  // The field shows minutes: what it does not show of a stored moment stays.
  const isKept = kept !== undefined && firstStart === minuteOf(kept.firstRunAt);
  const firstRunAt = isKept
    ? (kept.firstRunAt ?? null)
    : firstStart === ''
      ? null
      : Date.parse(`${firstStart}Z`);
  const none = { repeatUnit: null, repeatFrequency: null, repeatInterval: null, schedule: null };
  if (times === 'rule') {
    const schedule = ruleOf(rule);
    return schedule && { ...none, firstRunAt, schedule };
  }
  if (firstRunAt === null) return undefined;
  if (unit === 'once') return { ...none, firstRunAt };
  if (unit === 'interval') return { ...none, firstRunAt, repeatInterval: kept?.repeatInterval ?? null };
  return { ...none, firstRunAt, repeatUnit: unit, repeatFrequency: Number(draft.frequency) };
}

/** Returns the trigger that a form describes, to be created; undefined while a field is missing. */
export const newTriggerOf = (draft: TriggerDraft, parts: TriggerParts): GivenTrigger | undefined =>
  fieldsOf(draft, parts) as GivenTrigger | undefined;

/**
 * Returns what a form changes in the trigger with which it was opened. Fields that stay are left out, so that what others
 * change in them meanwhile stays as well.
 *
 * @param before what the form held when it was opened
 * @returns undefined while a field is missing
 */
export function changesOf(
  before: { draft: TriggerDraft; parts: TriggerParts },
  after: { draft: TriggerDraft; parts: TriggerParts },
): TriggerChange | undefined {
  const next = fieldsOf(after.draft, after.parts);
  if (next === undefined) return undefined;
  const stored = fieldsOf(before.draft, before.parts) ?? {};
  const changed = Object.entries(next).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field]),
  );
  return Object.fromEntries(changed) as TriggerChange;
}
