import type { Job } from '#db/schemas/workflow/job.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { isSet, secretKind } from '#server/kernel/secrets/secret-names.ts';
import type { Head, Iteration, JobDocument } from '../reducer/document.ts';
import { largeIdOf } from './large-values.ts';

/**
 * Secrets in the values of jobs that nothing but the names of their members tells (docs/decisions/0027). A job that holds
 * one is sealed at rest like one whose workflow marks its values (sealed.ts), and in answers masks stand where they are,
 * under whatever name the same text went on to.
 */

/** What stands where a value is not shown (contract/lifecycle#secrets). */
export const MASK = '********';

/** Whether a value holds a secret by the name of a member, at any depth. It stops at the first. */
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

/** Whether what an event made of a job holds a secret: in its variables, or in the passes that the event touched. */
export const hasBecomeSecret = (head: Pick<Head, 'variables'>, passes: readonly Iteration[]): boolean =>
  holdsSecrets(head.variables) ||
  passes.some(({ state: { incoming, outgoing, given } }) =>
    [incoming, outgoing, given].some((values) => holdsSecrets(values)),
  );

/** Whether a job holds a secret anywhere in its values. */
export const holdsNamedSecrets = ({ head, state }: JobDocument): boolean =>
  [head.variables, ...valuesOf(Object.values(state.tasks))].some((values) => holdsSecrets(values));

/** A secret is neither unset, nor the name of a variable that will hold one, nor a mask that somebody sent back. */
const isSecret = (value: unknown): boolean => isSet(value) && value !== MASK && !isReference(value);

/** How drawn tasks name a variable: `$var.job.token`, or `{task, value}` for variables of child jobs. */
function isReference(value: unknown): boolean {
  if (typeof value === 'string') return /^\$var\.\S+$/.test(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { task, value: name } = value as Record<string, unknown>;
  return typeof task === 'string' && task !== 'static' && typeof name === 'string';
}

/** Shorter texts are no use as a secret to look for: they stand in other words, and what is left would be unreadable. */
const SHORTEST_WITHIN = 8;
const SHORTEST_WHOLE = 4;

/** Texts of the secrets in values, for `hidden` and `hiddenIn`: those that contain others first. */
export function secretTexts(...values: readonly unknown[]): string[] {
  const texts = new Set<string>();
  for (const value of values) collect(value, false, texts);
  return [...texts].sort((a, b) => b.length - a.length);
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

/** A text without the secrets that stand in it. */
export function hiddenIn(text: string, texts: readonly string[]): string {
  let shown = text;
  for (const secret of texts) {
    if (shown === secret) return MASK;
    if (secret.length >= SHORTEST_WITHIN) shown = shown.replaceAll(secret, MASK);
  }
  return shown;
}

/**
 * A value with masks in place of its secrets.
 *
 * @param texts secrets that are known from elsewhere, which are hidden wherever they stand
 */
export function hidden<Value>(value: Value, texts: readonly string[], around?: string): Value {
  // Only values are replaced, and a document of values allows any.
  return hiddenValue(value, texts, around) as Value;
}

function hiddenValue(value: unknown, texts: readonly string[], around?: string): unknown {
  if (typeof value === 'string') return texts.length === 0 ? value : hiddenIn(value, texts);
  if (Array.isArray(value)) return value.map((element) => hiddenValue(element, texts, around));
  if (typeof value !== 'object' || value === null || largeIdOf(value) !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const masks = secretKind(name, around) !== null && isSecret(member);
      return [name, masks ? MASK : hiddenValue(member, texts, name)];
    }),
  );
}

/**
 * Values that somebody sends for a task, with the secrets that they were shown masks for.
 *
 * @param known where those stand, at the same place: what the task was given, then the variables of its job
 * @param lost told where a mask stands for nothing that is known
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
      const there = known.map((one) => (isObject(one) && Object.hasOwn(one, name) ? one[name] : undefined));
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

/** What a job that goes wrong tells, without the secrets that it holds: events and other jobs are told it as well. */
export function withoutSecretsInErrors({ head, state }: JobDocument): Head {
  if (head.error.length === 0) return head;
  const texts = secretTextsIn({ head, state });
  if (texts.length === 0) return head;
  return { ...head, error: head.error.map((one) => ({ ...one, message: hidden(one.message, texts) })) };
}

/** Texts of the secrets that a job holds, wherever in it. */
export const secretTextsIn = ({ head, state }: JobDocument): string[] =>
  secretTexts(head.variables, ...valuesOf(Object.values(state.tasks)));

const valuesOf = (tasks: readonly { incoming?: unknown; outgoing?: unknown; given?: unknown }[]): unknown[] =>
  tasks.flatMap(({ incoming, outgoing, given }) => [incoming, outgoing, given]);

/** The members of a job that hold values, as it may be seen. */
export function withoutNamedSecrets(job: Job, texts: readonly string[]): Job {
  const tasks = Object.fromEntries(
    Object.entries(job.tasks).map(([id, task]) => [
      id,
      task.variables ? { ...task, variables: hidden(task.variables, texts) } : task,
    ]),
  );
  return {
    ...job,
    variables: { ...hidden(job.variables, texts), ...ownOf(job.variables) },
    error: hidden(job.error, texts),
    ...(job.validationErrors && { validationErrors: hidden(job.validationErrors, texts) }),
    tasks,
  };
}

/** What every job has of itself is no secret, whatever somebody's password is. */
const ownOf = ({ _id, initiator }: Record<string, unknown> = {}) => ({
  ...(_id !== undefined && { _id }),
  ...(initiator !== undefined && { initiator }),
});

/** Texts of the secrets that a job holds, as it is shown. */
export const secretTextsOf = (job: Pick<Job, 'variables' | 'tasks'>): string[] =>
  secretTexts(job.variables, ...Object.values(job.tasks).map(({ variables }) => variables));
