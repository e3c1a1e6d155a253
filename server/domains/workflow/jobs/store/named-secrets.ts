import type { Job } from '#db/schemas/workflow/job.ts';
import { fieldIn, isObject } from '#server/kernel/json/objects.ts';
import { isSet, secretKind } from '#server/kernel/secrets/secret-names.ts';
import { partFinder, type Span } from '#server/kernel/text/part-finder.ts';
import type { Head, Iteration, JobDocument } from '../reducer/document.ts';
import { largeIdOf } from './large-values.ts';

/**
 * Secrets in the values of jobs that are recognized only by property names (docs/decisions/0027). A job that holds one is
 * sealed at rest like one whose workflow marks its values (sealed.ts). Responses show masks instead, under whatever name
 * the same text occurs.
 */

/** The text shown instead of a secret value (contract/lifecycle#secrets). */
export const MASK = '********';

/** Returns whether a value holds a secret according to a property name, at any depth. Stops at the first. */
export function holdsSecrets(value: unknown, around?: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const element of value) if (holdsSecrets(element, around)) return true;
    return false;
  }
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (secretKind(name, around) === null ? holdsSecrets(member, name) : isSecret(member)) return true;
  }
  return false;
}

/**
 * Returns whether an event added a secret to a job: in its variables, or in the iterations that it touched.
 *
 * @param isKnown whether a variable was searched when it received this value
 */
export const hasBecomeSecret = (
  head: Pick<Head, 'variables'>,
  iterations: readonly Iteration[],
  isKnown: (name: string, value: unknown) => boolean,
): boolean =>
  Object.entries(head.variables).some(
    ([name, value]) => !isKnown(name, value) && holdsSecrets({ [name]: value }),
  ) ||
  iterations.some(({ state: { incoming, outgoing, given } }) =>
    [incoming, outgoing, given].some((values) => holdsSecrets(values)),
  );

/** Returns whether a job holds a secret anywhere in its values. */
export const holdsNamedSecrets = ({ head, state }: JobDocument): boolean =>
  [head.variables, ...valuesOf(Object.values(state.tasks))].some((values) => holdsSecrets(values));

/** Returns whether a value is a secret: neither unset, nor a reference, nor a mask that a client sent back. */
const isSecret = (value: unknown): boolean => isSet(value) && value !== MASK && !isReference(value);

/** Returns whether a value references a variable: `$var.job.token`, or `{task, value}` for child job variables. */
function isReference(value: unknown): boolean {
  if (typeof value === 'string') return /^\$var\.\S+$/.test(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { task, value: name } = value as Record<string, unknown>;
  return typeof task === 'string' && task !== 'static' && typeof name === 'string';
}

/** Minimum lengths of a secret to search for: masking shorter texts within other words would make them unreadable. */
const SHORTEST_WITHIN = 8;
const SHORTEST_WHOLE = 4;

/** Collects the texts of secrets for `valueWithoutSecrets` and `textWithoutSecrets`. */
export function secretTexts(...values: readonly unknown[]): string[] {
  const texts = new Set<string>();
  for (const value of values) collect(value, false, texts);
  return [...texts];
}

function collect(value: unknown, isNamed: boolean, texts: Set<string>, around?: string): void {
  if (isNamed && typeof value === 'string') {
    if (value.length >= SHORTEST_WHOLE && value !== MASK) texts.add(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collect(element, isNamed, texts, around);
  } else if (typeof value === 'object' && value !== null && !isReference(value)) {
    for (const [name, member] of Object.entries(value)) {
      const isSecretMember = isNamed || (secretKind(name, around) !== null && isSecret(member));
      collect(member, isSecretMember, texts, name);
    }
  }
}

/** Characters of all secrets of a job that are searched for within other texts; beyond, every text of this length is masked. */
const MOST_WITHIN = 2 ** 21;

/** What masks the secrets of a list: a job has many texts, and may have thousands of secrets. */
const maskers = new WeakMap<readonly string[], (text: string) => string>();

function maskerOf(texts: readonly string[]): (text: string) => string {
  const whole = new Set(texts);
  const within = texts.filter(({ length }) => length >= SHORTEST_WITHIN);
  const isTooMuch = within.reduce((sum, { length }) => sum + length, 0) > MOST_WITHIN;
  const find = partFinder(within);
  return (text) => {
    if (whole.has(text)) return MASK;
    if (text.length < SHORTEST_WITHIN) return text;
    return isTooMuch ? MASK : maskedAt(text, find(text));
  };
}

function maskedAt(text: string, spans: readonly Span[]): string {
  let shown = '';
  let end = 0;
  for (const [from, to] of spans) {
    shown += text.slice(end, from) + MASK;
    end = to;
  }
  return shown + text.slice(end);
}

/** Returns a text with its secrets masked; where two overlap, both are one mask. */
export function textWithoutSecrets(text: string, texts: readonly string[]): string {
  const mask = maskers.get(texts) ?? maskerOf(texts);
  maskers.set(texts, mask);
  return mask(text);
}

/**
 * Returns a value with masks in place of its secrets.
 *
 * @param texts secrets known from elsewhere, which are masked wherever they occur
 */
export function valueWithoutSecrets<Value>(value: Value, texts: readonly string[]): Value {
  // Only values are replaced, and a document of values may hold any: the type stays.
  return maskEach(value, texts) as Value;
}

function maskEach(value: unknown, texts: readonly string[], around?: string): unknown {
  if (typeof value === 'string') return texts.length === 0 ? value : textWithoutSecrets(value, texts);
  if (Array.isArray(value)) return value.map((element) => maskEach(element, texts, around));
  if (typeof value !== 'object' || value === null || largeIdOf(value) !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const masks = secretKind(name, around) !== null && isSecret(member);
      return [name, masks ? MASK : maskEach(member, texts, name)];
    }),
  );
}

/**
 * Returns values sent for a task, with the secrets that their masks stand for.
 *
 * @param known objects with those secrets at the same path: the task's incoming values, then the variables of its job
 * @param lost called with the path of each mask without a known secret
 */
export function withKnownSecrets(
  sent: Record<string, unknown>,
  known: readonly unknown[],
  lost: (path: string[]) => void,
  path: string[] = [],
): Record<string, unknown> {
  const around = path.at(-1);
  return Object.fromEntries(
    Object.entries(sent).map(([name, member]) => {
      const at = [...path, name];
      const there = known.map((one) => fieldIn(one, name));
      if (isObject(member) && secretKind(name, around) === null) {
        return [name, withKnownSecrets(member, there, lost, at)];
      }
      if (member !== MASK || secretKind(name, around) === null) return [name, member];
      const found = there.find((one) => one !== undefined);
      if (found === undefined) lost(at);
      return [name, found];
    }),
  );
}

/** Returns the head of a job with the secrets masked in its error messages: events and other jobs receive those as well. */
export function withoutSecretsInErrors({ head, state }: JobDocument): Head {
  if (head.error.length === 0) return head;
  const texts = secretTextsIn({ head, state });
  if (texts.length === 0) return head;
  return {
    ...head,
    error: head.error.map((one) => ({ ...one, message: valueWithoutSecrets(one.message, texts) })),
  };
}

/**
 * Returns the texts of all secrets that a job holds.
 *
 * @param apart values of the job that are stored separately, and were read
 */
export const secretTextsIn = ({ head, state }: JobDocument, ...apart: readonly unknown[]): string[] =>
  secretTexts(head.variables, ...valuesOf(Object.values(state.tasks)), ...apart);

const valuesOf = (tasks: readonly { incoming?: unknown; outgoing?: unknown; given?: unknown }[]): unknown[] =>
  tasks.flatMap(({ incoming, outgoing, given }) => [incoming, outgoing, given]);

/** Returns a job with masks in all fields that hold values. */
export function withoutNamedSecrets(job: Job, texts: readonly string[]): Job {
  const tasks = Object.fromEntries(
    Object.entries(job.tasks).map(([id, task]) => [
      id,
      task.variables ? { ...task, variables: valueWithoutSecrets(task.variables, texts) } : task,
    ]),
  );
  return {
    ...job,
    variables: { ...valueWithoutSecrets(job.variables, texts), ...ownOf(job.variables) },
    error: valueWithoutSecrets(job.error, texts),
    ...(job.validationErrors && { validationErrors: valueWithoutSecrets(job.validationErrors, texts) }),
    tasks,
  };
}

/** Returns the variables that every job has: they are never secret, even if they equal a user's password. */
const ownOf = ({ _id, initiator }: Record<string, unknown> = {}) => ({
  ...(_id !== undefined && { _id }),
  ...(initiator !== undefined && { initiator }),
});

/** Returns the texts of the secrets in a job as it is shown. */
export const secretTextsOf = (job: Pick<Job, 'variables' | 'tasks'>): string[] =>
  secretTexts(job.variables, ...Object.values(job.tasks).map(({ variables }) => variables));
