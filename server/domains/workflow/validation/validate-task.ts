import type { Task } from '#db/schemas/workflow/task.ts';
import { isAbsent, isObject } from '#server/kernel/json/objects.ts';
import { END, START } from '../definitions/graph.ts';
import { authorizeTask } from '../tasks/authorize.ts';
import { COMPARISONS, LOOP_TYPES } from '../tasks/flow.ts';
import { INVALID_TIME_LIMIT, isTimeLimit } from '../tasks/time-limit.ts';
import { error, type WorkflowFinding, warning } from './finding.ts';
import type { ValidationContext } from './validation-context.ts';
import { incomingOf, outgoingOf, sourceOf } from './variables.ts';

/** Returns the findings about one task: an unknown operation, missing or invalid values, missing rights. */
export const taskFound = (id: string, task: Task, around: ValidationContext): WorkflowFinding[] => [
  ...ownFound(id, task, around),
  ...rightsFound(id, task, around),
];

/** Returns warnings about roles that the author lacks: the author's own jobs would be denied. */
function rightsFound(id: string, task: Task, { author, task: typeOf }: ValidationContext): WorkflowFinding[] {
  if (!author || [START, END, 'error_handler'].includes(id)) return [];
  const incoming = incomingOf(task);
  const makesElements = task.name === 'childJob' && !isAbsent(incoming.transformation);
  const names = [
    { task, field: 'name' },
    ...(makesElements ? [{ task: TRANSFORMATION, field: 'variables.incoming.transformation' }] : []),
  ];
  return names.flatMap((one) => {
    const type = typeOf(one.task.app ?? '', one.task.name);
    const reason = authorizeTask(author.rights, one.task, type?.provided);
    return reason === null ? [] : [warning(id, one.field, deniedTo(`${one.task.name}: ${reason}`))];
  });
}

const TRANSFORMATION = { app: 'WorkFlowEngine', name: 'transformation' };

/** Returns the warning that the author's own jobs would be denied something. */
export const deniedTo = (reason: string): string => `your account may not use ${reason}`;

function ownFound(id: string, task: Task, around: ValidationContext): WorkflowFinding[] {
  if ([START, END, 'error_handler'].includes(id)) return [];
  const { app, name } = task;
  const type = app ? around.task(app, name) : undefined;
  if (!type) return isAnswered(task, around) ? [] : [error(id, 'name', missingPart(task, around))];
  const incoming = incomingOf(task);
  const found = Object.entries(type.incoming).flatMap(([member, { required }]) =>
    required && isAbsent(incoming[member]) ? [error(id, `variables.incoming.${member}`, 'must be set')] : [],
  );
  const given = Object.keys(type.outgoing);
  for (const [member, to] of Object.entries(outgoingOf(task))) {
    // A name that is only stored with the task does no harm.
    if (given.length === 0 || given.includes(member) || isAbsent(to)) continue;
    found.push(
      warning(
        id,
        `variables.outgoing.${member}`,
        `is not a result of ${name}; its results are ${given.join(', ')}`,
      ),
    );
  }
  const fault = around.adapterFaults?.get(id);
  if (fault !== undefined) found.push(error(id, 'variables.incoming.adapter_id', fault));
  const check = type.app === 'WorkFlowEngine' ? CHECKS.get(name) : undefined;
  return check ? [...found, ...check(id, incoming, around)] : found;
}

/** Returns whether an adapter exists for the operation: the one that the task names, else that of its application. */
export function isAnswered(
  task: Task,
  { adapters, hasApp, adapterTypes }: Pick<ValidationContext, 'adapters' | 'hasApp' | 'adapterTypes'>,
): boolean {
  const { app, location } = task;
  if (!app || (location !== 'Adapter' && location !== 'Broker') || !adapters || hasApp(app)) return false;
  if (adapterTypes?.has(app)) return false;
  const { adapter_id: named } = incomingOf(task);
  // The adapter may be known only when the job runs.
  if (sourceOf(named) !== null) return adapters.size > 0;
  return adapters.has(isAbsent(named) ? app : String(named));
}

/** Returns which part of the platform would be needed to run the task. */
function missingPart(
  { app, name, location, locationType }: Task,
  { hasApp, adapterTypes }: ValidationContext,
): string {
  if (!app) return `${name} does not name its application`;
  if (location === 'Adapter' || location === 'Broker') {
    if (adapterTypes?.has(app)) return `task ${name} of ${app} does not exist`;
    return `adapter ${locationType || app} does not exist here, so that its task ${name} cannot run`;
  }
  return hasApp(app)
    ? `application ${app} has no task ${name}`
    : `application ${app} of the task ${name} does not exist here`;
}

type TaskInput = Record<string, unknown>;
type Check = (id: string, incoming: TaskInput, around: ValidationContext) => WorkflowFinding[];

/** Checks for the values of tasks that control a job. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['evaluation', evaluationFound],
  ['decision', (id, { operator }) => comparisonFound(id, 'variables.incoming.operator', operator)],
  ['merge', mergeFound],
  ['deepmerge', mergeFound],
  ['childJob', childJobFound],
  ['transformation', (id, { tr_id: called }, around) => faultsFound(id, 'tr_id', called, around)],
  ['stub', (id, { type }) => oneOf(id, 'type', type, ['success', 'failure', 'error'])],
  [
    'makeData',
    (id, { outputType }) => oneOf(id, 'outputType', outputType, ['string', 'json', 'number', 'boolean']),
  ],
]);

function oneOf(id: string, member: string, value: unknown, known: readonly string[]): WorkflowFinding[] {
  if (isAbsent(value) || sourceOf(value) !== null) return [];
  if (typeof value === 'string' && known.includes(value)) return [];
  const field = `variables.incoming.${member}`;
  return [error(id, field, `must be one of ${known.filter(Boolean).join(', ')}`)];
}

function limitFound(id: string, limit: unknown): WorkflowFinding[] {
  if (sourceOf(limit) !== null || isTimeLimit(limit)) return [];
  return [error(id, 'variables.incoming.timeLimit', INVALID_TIME_LIMIT)];
}

function evaluationFound(id: string, { evaluation_groups: groups }: TaskInput): WorkflowFinding[] {
  const field = 'variables.incoming.evaluation_groups';
  if (isAbsent(groups) || sourceOf(groups) !== null) return [];
  if (!Array.isArray(groups) || groups.length === 0)
    return [error(id, field, 'must have at least one group of comparisons')];
  return groups.flatMap((group: unknown, at) => {
    const evaluations = isObject(group) ? group.evaluations : undefined;
    const place = `${field}.${at}.evaluations`;
    if (!Array.isArray(evaluations) || evaluations.length === 0) {
      return [error(id, place, 'must have at least one comparison')];
    }
    return evaluations.flatMap((one: unknown, nth) =>
      comparisonFound(id, `${place}.${nth}.operator`, isObject(one) ? one.operator : undefined),
    );
  });
}

function comparisonFound(id: string, field: string, operator: unknown): WorkflowFinding[] {
  if (typeof operator === 'string' && COMPARISONS.includes(operator)) return [];
  return [error(id, field, `must be one of ${COMPARISONS.join(' ')}`)];
}

function mergeFound(id: string, { data_to_merge: entries }: TaskInput): WorkflowFinding[] {
  const field = 'variables.incoming.data_to_merge';
  if (isAbsent(entries) || sourceOf(entries) !== null) return [];
  if (!Array.isArray(entries)) return [error(id, field, 'must be a list of {key, value} entries')];
  const found: WorkflowFinding[] =
    entries.length < 2 ? [warning(id, field, 'must have at least two values to merge')] : [];
  const hasKeys = entries.some((entry) => isObject(entry) && !isAbsent(entry.key));
  // Without any keys the values become a list, or are merged.
  if (!hasKeys && entries.every(isObject)) return found;
  const seen = new Set<unknown>();
  for (const [at, entry] of entries.entries()) {
    const key: unknown = isObject(entry) ? entry.key : undefined;
    if (typeof key !== 'string' || key === '') found.push(error(id, `${field}.${at}.key`, 'must be set'));
    else if (seen.has(key))
      found.push(warning(id, `${field}.${at}.key`, `${key} occurs twice: its values become a list`));
    seen.add(key);
  }
  return found;
}

/** Maximum number of faults of one transformation that are reported. */
const MOST_FAULTS = 10;

/** Reports unknown steps and methods of a transformation at the task that calls it. */
function faultsFound(
  id: string,
  member: string,
  called: unknown,
  { faults }: ValidationContext,
): WorkflowFinding[] {
  if (typeof called !== 'string' || isAbsent(called)) return [];
  const field = `variables.incoming.${member}`;
  return faults(called)
    .slice(0, MOST_FAULTS)
    .map((fault) => error(id, field, `transformation ${called} cannot run: ${fault}`));
}

function childJobFound(id: string, incoming: TaskInput, around: ValidationContext): WorkflowFinding[] {
  const { input } = around;
  const { loopType, data_array: elements, timeLimit, transformation, variables, workflow } = incoming;
  const found = [
    ...oneOf(id, 'loopType', loopType, LOOP_TYPES),
    ...limitFound(id, timeLimit),
    ...faultsFound(id, 'transformation', transformation, around),
  ];
  const loops = loopType === 'sequential' || loopType === 'parallel';
  if (loops && isAbsent(elements)) {
    found.push(error(id, 'variables.incoming.data_array', `must be set because loopType is ${loopType}`));
  }
  if (Array.isArray(elements) && elements.length > MOST_ELEMENTS) {
    found.push(error(id, 'variables.incoming.data_array', `has more than ${MOST_ELEMENTS} elements`));
  }
  // The variables of each element are known only when the job runs.
  if (loops || !isAbsent(transformation)) return found;
  const required = typeof workflow === 'string' ? input(workflow)?.required : undefined;
  const given = isObject(variables) ? variables : {};
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== 'string' || Object.hasOwn(given, name)) continue;
    const message = `is not set, but is required by workflow ${String(workflow)}`;
    found.push(warning(id, `variables.incoming.variables.${name}`, message));
  }
  return found;
}

/** Maximum length of a list from which child jobs are made (contract/engines#task-details). */
const MOST_ELEMENTS = 10_000;
