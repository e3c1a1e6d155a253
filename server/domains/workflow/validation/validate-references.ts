import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { type Graph, START } from '../definitions/graph.ts';
import { literalsIn, sourcesIn } from '../definitions/sources.ts';
import { error, type WorkflowFinding, warning } from './finding.ts';
import type { ValidationContext } from './validation-context.ts';
import { outgoingOf, type Source, tasksOf } from './variables.ts';

/** Returns the findings about references of tasks: to values of other tasks, and to other documents. */
export function referencesFound(
  workflow: Pick<Workflow, 'tasks'>,
  graph: Graph,
  around: ValidationContext,
): WorkflowFinding[] {
  const outputs = outputsOf(workflow, around);
  const values = tasksOf(workflow).flatMap(([id, task]) =>
    sourcesIn(task).flatMap(({ source, path }) => sourceFound(id, fieldOf(path), source, graph, outputs)),
  );
  const literals = tasksOf(workflow).flatMap(([id, task]) =>
    literalsIn(task).map(({ text, path }) => warning(id, fieldOf(path), literalMessage(text))),
  );
  return [...values, ...literals, ...around.missing.map(missingFound)];
}

const fieldOf = (path: readonly (string | number)[]) => ['variables.incoming', ...path].join('.');

const literalMessage = (text: string) => {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return `${JSON.stringify(shown)} stays text: $var is replaced only as the whole value of an incoming variable or of a variableMap entry. Build the value in an earlier task and use its result as the whole value`;
};

/** Returns the names of the results of each task, by its id. */
function outputsOf(workflow: Pick<Workflow, 'tasks'>, around: ValidationContext): Map<string, Set<string>> {
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
): WorkflowFinding[] {
  if (task === 'job') return [];
  const results = outputs.get(task);
  if (!results) return [error(id, field, `refers to task ${task}, which the workflow does not have`)];
  if (task !== START && !results.has(variable)) {
    return [error(id, field, `refers to ${variable} of task ${task}, which has no such result`)];
  }
  const [here, there] = [place.get(id), place.get(task)];
  if (here === undefined || there === undefined || there < here) return [];
  return [
    warning(id, field, `refers to task ${task}, which does not precede this one: the value may be null`),
  ];
}

/** Returns the finding for a reference to a missing document; where its kind is unknown it is only a warning. */
function missingFound({
  word,
  value,
  path,
  candidates = [],
}: ValidationContext['missing'][number]): WorkflowFinding {
  const [top, id, ...below] = path;
  const isTask = top === 'tasks' && id !== undefined;
  const at = isTask ? id : top === 'errorHandler' ? 'error_handler' : START;
  const field = (isTask ? below : path).join('.');
  const offer = candidates.length > 0 ? `; its project has ${candidates.join(', ')}` : '';
  return word !== null
    ? error(at, field, `${word} ${value} does not exist${offer}`)
    : warning(at, field, `${value} does not exist`);
}
