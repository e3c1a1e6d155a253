import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { onError, success, task, traceTask, workflowOf } from '../workflows.ts';

type Json = Record<string, unknown>;

/** The errors of a task whose account may not use it. */
export const DENIED =
  /Needs one of the roles|(Template|Transformation) .* does not exist|Could not find matching template|allows you to read but not to execute/;

/** A task of a job, with the request that its endpoint accepts. */
type Probe = { app: string; name: string; incoming: Json; path: string; body?: Json };

/**
 * Returns tasks that some accounts may use and others may not, by id.
 *
 * @param turnId id of a transformation that only members of a project can read
 */
export const probesOf = (turnId: string): Record<string, Probe> => ({
  // No such orchestrator: a permitted caller learns that.
  a: {
    app: 'OrchestratorManager',
    name: 'restAction',
    incoming: { adapterId: 'nowhere', params: { path: '/restconf/data', method: 'GET' }, body: {} },
    path: '/orchestrator_manager/restAction/nowhere',
    body: { params: { path: '/restconf/data', method: 'GET' }, body: {} },
  },
  b: { app: 'MOP', name: 'listATemplate', incoming: { name: 'Look' }, path: '/mop/listATemplate/Look' },
  c: {
    app: 'TemplateBuilder',
    name: 'renderJinjaTemplate',
    incoming: { name: 'Secret', context: {} },
    path: '/template_builder/templates/Secret/renderJinja',
    body: { context: {} },
  },
  d: {
    app: 'WorkFlowEngine',
    name: 'restCall',
    incoming: { method: 'GET', url: 'http://192.0.2.9/' },
    path: '/operations-manager/jobs/start',
    body: { workflow: 'Harmless' },
  },
  e: {
    app: 'WorkFlowEngine',
    name: 'transformation',
    incoming: { tr_id: turnId, variableMap: {} },
    path: `/transformations/${turnId}`,
    body: {},
  },
});

/**
 * Returns a workflow that runs the probes as tasks, sequentially, whether or not those before have failed.
 *
 * @param first tasks that run before the probes
 */
export function probingWorkflow(
  probes: Readonly<Record<string, Probe>>,
  name: string,
  first: Workflow['tasks'],
  more: Partial<Workflow>,
) {
  const names = Object.keys(probes);
  const before = Object.keys(first);
  const ids = ['workflow_start', ...before, ...names, 'workflow_end'];
  const transitions = Object.fromEntries(
    ids.map((id, at) => [id, at + 1 < ids.length ? { [String(ids[at + 1])]: success } : {}]),
  );
  // Two transitions to one task cannot differ only by their state: errors go through a task that does nothing.
  const sinks = names.slice(0, -1).map((id, at) => [id, `${id}e`, String(names[at + 1])] as const);
  for (const [from, sink, to] of sinks) {
    transitions[from] = { ...transitions[from], [sink]: onError };
    transitions[sink] = { [to]: success };
  }
  const probeTasks = Object.fromEntries(
    Object.entries(probes).map(([id, { app, name: called, incoming }]) => [
      id,
      task(called, incoming, {}, { app, type: 'automatic' }),
    ]),
  );
  const passes = Object.fromEntries(sinks.map(([, sink]) => [sink, traceTask(sink)]));
  return workflowOf(name, { ...first, ...probeTasks, ...passes }, { transitions, ...more });
}
