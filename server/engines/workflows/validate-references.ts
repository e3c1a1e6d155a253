import type { ComponentType } from '#db/schemas/project.ts';
import type { Task } from '#db/schemas/task.ts';
import type { Workflow } from '#db/schemas/workflow.ts';
import { error, type Finding, warning } from './finding.ts';
import { type Graph, START } from './graph.ts';
import type { Surroundings } from './surroundings.ts';
import {
  incomingOf,
  isObject,
  objectSourceOf,
  outgoingOf,
  type Source,
  sourceOf,
  tasksOf,
} from './variables.ts';

/** What is wrong with what tasks refer to: values of other tasks, and other documents. */
export function referencesFound(
  workflow: Pick<Workflow, 'tasks'>,
  graph: Graph,
  around: Surroundings,
): Finding[] {
  const outputs = outputsOf(workflow, around);
  const values = tasksOf(workflow).flatMap(([id, task]) =>
    sourcesIn(task).flatMap(({ source, field }) => sourceFound(id, field, source, graph, outputs)),
  );
  return [...values, ...around.missing.map(missingFound)];
}

type Place = { source: Source; field: string };

/** Every place of a task that a run replaces by a value from elsewhere (design: Variables); others are literal. */
function sourcesIn(task: Task): Place[] {
  const places: Place[] = [];
  const add = (source: Source | null, ...path: (string | number)[]) => {
    if (source) places.push({ source, field: ['variables.incoming', ...path].join('.') });
  };
  const incoming = incomingOf(task);
  for (const [member, value] of Object.entries(incoming)) add(sourceOf(value), member);
  const { variableMap, variables, evaluation_groups: groups, data_to_merge: entries } = incoming;
  if (task.name === 'transformation' && isObject(variableMap)) {
    for (const [name, value] of Object.entries(variableMap)) add(sourceOf(value), 'variableMap', name);
  }
  if (task.name === 'childJob' && isObject(variables)) {
    for (const [name, value] of Object.entries(variables)) add(objectSourceOf(value), 'variables', name);
  }
  if (task.name === 'evaluation') {
    for (const [at, group] of listOf(groups).entries()) {
      for (const [nth, one] of listOf(isObject(group) ? group.evaluations : undefined).entries()) {
        for (const operand of ['operand_1', 'operand_2']) {
          const path = ['evaluation_groups', at, 'evaluations', nth, operand];
          add(objectSourceOf(isObject(one) ? one[operand] : undefined), ...path);
        }
      }
    }
  }
  if (task.name === 'merge' || task.name === 'deepmerge') {
    for (const [at, entry] of listOf(entries).entries()) {
      add(objectSourceOf(isObject(entry) ? entry.value : undefined), 'data_to_merge', at, 'value');
    }
  }
  return places;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The results that each task has, by its id. */
function outputsOf(workflow: Pick<Workflow, 'tasks'>, around: Surroundings): Map<string, Set<string>> {
  return new Map(
    tasksOf(workflow).map(([id, task]) => {
      const known = around.task(task.app ?? '', task.name)?.outgoing ?? {};
      return [id, new Set([...Object.keys(outgoingOf(task)), ...Object.keys(known), 'error'])];
    }),
  );
}

function sourceFound(
  id: string,
  field: string,
  { task, variable }: Source,
  { place }: Graph,
  outputs: ReadonlyMap<string, ReadonlySet<string>>,
): Finding[] {
  if (task === 'job') return [];
  const results = outputs.get(task);
  if (!results) return [error(id, field, `refers to task ${task}, which is not in the workflow`)];
  if (task !== START && !results.has(variable)) {
    return [error(id, field, `refers to ${variable} of task ${task}, which has no such result`)];
  }
  const [here, there] = [place.get(id), place.get(task)];
  if (here === undefined || there === undefined || there < here) return [];
  return [warning(id, field, `refers to task ${task}, which does not come before this one: it may be null`)];
}

const WORDS: Record<ComponentType, string> = {
  workflow: 'workflow',
  template: 'template',
  transformation: 'transformation',
  jsonForm: 'JSON form',
  mopCommandTemplate: 'command template',
  mopAnalyticTemplate: 'analytic template',
};

/** A place that names a document which is not there; where it may be meant otherwise, that is no error. */
function missingFound({ kind, value, path }: Surroundings['missing'][number]): Finding {
  const [top, id, ...below] = path;
  const isTask = top === 'tasks' && id !== undefined;
  const at = isTask ? id : top === 'errorHandler' ? 'error_handler' : START;
  const field = (isTask ? below : path).join('.');
  return kind
    ? error(at, field, `${WORDS[kind]} ${value} does not exist`)
    : warning(at, field, `nothing is called ${value}`);
}
