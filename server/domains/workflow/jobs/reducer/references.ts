import type { Task } from '#db/schemas/workflow/task.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { isNameable } from '../../definitions/sources.ts';
import type { JobView } from '../../tasks/outcome.ts';
import { incomingOf, sourceOf } from '../../validation/variables.ts';
import { type Large, unpacked } from '../store/large-values.ts';
import type { JobDocument } from './document.ts';

/** Returns the view of a job that its tasks have. */
export function viewOf(doc: JobDocument, large: Large): JobView {
  const { variables } = doc.head;
  return {
    get variables() {
      return unpacked(variables, large);
    },
    resolve: ({ task, variable }) => {
      if (task === 'static') return variable;
      return typeof variable === 'string' ? valueAt(doc, large, task, variable) : undefined;
    },
  };
}

/**
 * Returns the value of a job variable (undefined if the job has no such variable) or of a task's result (null if missing);
 * see contract/engines#variables.
 */
export function valueAt({ head, state }: JobDocument, large: Large, task: string, variable: string): unknown {
  if (task === 'job') {
    return Object.hasOwn(head.variables, variable) ? large.open(head.variables[variable]) : undefined;
  }
  const outgoing = state.tasks[task]?.outgoing;
  if (!outgoing || !Object.hasOwn(outgoing, variable)) return null;
  return large.open(outgoing[variable]) ?? null;
}

/**
 * Resolves the incoming values of a task (contract/engines#variables). A reference counts only where it is the whole value
 * of a top-level property, or of a property of a transformation's variableMap. A missing job variable omits the property,
 * or sets null for a task of an adapter or broker.
 */
export function resolved(doc: JobDocument, large: Large, task: Task): Record<string, unknown> {
  const isAdapters = task.location === 'Adapter' || task.location === 'Broker';
  const values = (fields: Record<string, unknown>) => {
    const given: [string, unknown][] = [];
    for (const [name, written] of Object.entries(fields)) {
      const source = sourceOf(written);
      const isReference = source && isNameable(source);
      const value = isReference ? valueAt(doc, large, source.task, source.variable) : written;
      if (value !== undefined) given.push([name, value]);
      else if (isAdapters) given.push([name, null]);
    }
    return Object.fromEntries(given);
  };
  const incoming = values(incomingOf(task));
  const { variableMap } = incomingOf(task);
  return task.name === 'transformation' && isObject(variableMap)
    ? { ...incoming, variableMap: values(variableMap) }
    : incoming;
}

/**
 * Returns the variables of a child job: resolves references `{task, value}`, and keeps anything else verbatim
 * (contract/engines#variables).
 */
export function childVariables(doc: JobDocument, large: Large, written: unknown): Record<string, unknown> {
  if (!isObject(written)) return {};
  const given: [string, unknown][] = [];
  for (const [name, one] of Object.entries(written)) {
    const isReference = isObject(one) && typeof one.task === 'string' && Object.hasOwn(one, 'value');
    if (!isReference) {
      given.push([name, one]);
      continue;
    }
    const { task, value } = one as { task: string; value: unknown };
    const isStatic = task === 'static' || typeof value !== 'string';
    const found = isStatic ? value : valueAt(doc, large, task, value);
    if (found !== undefined) given.push([name, found]);
  }
  return Object.fromEntries(given);
}
