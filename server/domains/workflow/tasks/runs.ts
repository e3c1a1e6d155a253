import type { PlannedAdapterTask } from '#server/domains/integrations/index.ts';
import { adapterTask } from '../task-runs/adapter.service.ts';
import { runCompliance, runCompliancePlan } from '../task-runs/compliance.service.ts';
import { backUpDevice, gnoiTraceroute, sendCommand } from '../task-runs/devices.service.ts';
import { contained, containedEffect } from '../task-runs/finish.ts';
import {
  listAnAnalyticTemplate,
  listATemplate,
  runAnalyticsTemplate,
  runAnalyticsTemplateDevices,
  runCommandDevices,
  runCommandTask,
  runCommandTemplate,
  runCommandTemplateSingleCommand,
} from '../task-runs/mop.service.ts';
import { restAction, restQuery, validateCommit } from '../task-runs/orchestrator.service.ts';
import { adapterOperation, restCall } from '../task-runs/rest.service.ts';
import { validateJsonSchema, validateJsonSchemaInThread } from '../task-runs/schema.service.ts';
import { applyTemplate, parseTemplate, renderJinjaTemplate } from '../task-runs/templates.service.ts';
import { transformation } from '../task-runs/transformation.service.ts';
import {
  arrayConcat,
  arrayIncludes,
  arrayIndexOf,
  arrayLength,
  arrayPush,
  join,
} from '../task-runs/values/arrays.ts';
import { decision, evaluation } from '../task-runs/values/evaluation.ts';
import { makeData } from '../task-runs/values/make-data.ts';
import { deepmerge, merge } from '../task-runs/values/merge.ts';
import { setObjectKey } from '../task-runs/values/objects.ts';
import { modify, query } from '../task-runs/values/query.ts';
import { parse, replace, split, stringConcat, stringify, stringLength } from '../task-runs/values/texts.ts';
import { calculateTimeDiff, getTime } from '../task-runs/values/times.ts';
import { newVariable, pop, push, shift, updateJobDescription } from '../task-runs/values/variables.ts';
import { isOurs, taskTypeOf } from './catalogue.ts';
import type { EffectRun, PureRun } from './outcome.ts';

/**
 * How a task is run: inside the transaction that settles it, or outside of it. A pure one may have an `outside` run for
 * values that are too much for a transaction; its `run` then throws TooMuchAtOnce.
 */
export type TaskRun =
  | { kind: 'pure'; run: PureRun; outside?: EffectRun }
  | { kind: 'effect'; run: EffectRun };

const PURE: Readonly<Record<string, PureRun>> = {
  evaluation,
  decision,
  query,
  modify,
  merge,
  deepmerge,
  newVariable,
  push,
  pop,
  shift,
  updateJobDescription,
  validateJsonSchema,
  makeData,
  arrayPush,
  arrayLength,
  arrayIncludes,
  arrayIndexOf,
  arrayConcat,
  join,
  stringConcat,
  stringLength,
  split,
  replace,
  parse,
  stringify,
  setObjectKey,
  calculateTimeDiff,
};

const EFFECTS: Readonly<Record<string, EffectRun>> = {
  'WorkFlowEngine.getTime': getTime,
  'WorkFlowEngine.restCall': restCall,
  'MOP.RunCommandTemplate': runCommandTemplate,
  'MOP.RunCommandTemplateSingleCommand': runCommandTemplateSingleCommand,
  'MOP.RunCommand': runCommandTask,
  'MOP.RunCommandDevices': runCommandDevices,
  'MOP.runAnalyticsTemplate': runAnalyticsTemplate,
  'MOP.runAnalyticsTemplateDevices': runAnalyticsTemplateDevices,
  'MOP.listATemplate': listATemplate,
  'MOP.listAnAnalyticTemplate': listAnAnalyticTemplate,
  'WorkFlowEngine.transformation': transformation,
  'TemplateBuilder.renderJinjaTemplate': renderJinjaTemplate,
  'TemplateBuilder.applyTemplate': applyTemplate,
  'TemplateBuilder.parseTemplate': parseTemplate,
  'AutomationGateway.sendCommand': sendCommand,
  'AutomationGateway.gnoiTraceroute': gnoiTraceroute,
  'OrchestratorManager.restAction': restAction,
  'OrchestratorManager.restQuery': restQuery,
  'OrchestratorManager.validateCommit': validateCommit,
  'ConfigurationManager.backUpDevice': backUpDevice,
  'ConfigurationManager.runCompliancePlan': runCompliancePlan,
  'ConfigurationManager.runCompliance': runCompliance,
};

/** The `outside` runs of pure tasks. */
const OUTSIDE: Readonly<Record<string, EffectRun>> = {
  validateJsonSchema: validateJsonSchemaInThread,
};

const pure = (run: PureRun, outside?: EffectRun): TaskRun => ({
  kind: 'pure',
  run: contained(run),
  ...(outside && { outside: containedEffect(outside) }),
});
const effect = (run: EffectRun): TaskRun => ({ kind: 'effect', run: containedEffect(run) });

const RUNS: ReadonlyMap<string, TaskRun> = new Map<string, TaskRun>([
  ...Object.entries(PURE).map(([name, run]): [string, TaskRun] => [
    `WorkFlowEngine.${name}`,
    pure(run, OUTSIDE[name]),
  ]),
  ...Object.entries(EFFECTS).map(([key, run]): [string, TaskRun] => [key, effect(run)]),
]);

/** Returns how a task of an adapter type is run, as the job keeps it. */
export const adapterRun = (planned: PlannedAdapterTask): TaskRun => effect(adapterTask(planned));

/**
 * Returns how a task is run; undefined for one that the engine handles itself (start, end, childJob, forEach, delay,
 * stub, reattempt, manual tasks) or that cannot be run. An application that is not ours is treated as an adapter. A run
 * never throws, except that a pure one may throw TooMuchAtOnce: errors are outcomes with finish error.
 */
export function runOf(app: string, name: string): TaskRun | undefined {
  const type = taskTypeOf(app, name);
  if (type) return RUNS.get(`${type.app}.${type.name}`);
  return isOurs(app) ? undefined : effect(adapterOperation(app, name));
}
