import type { PlannedAdapterTask } from '#server/domains/integrations/index.ts';
import { adapterTask } from '../task-runs/adapter.service.ts';
import { ARTIFACT_EFFECTS } from '../task-runs/applications/artifacts.service.ts';
import { CONFIGURATION_EFFECTS } from '../task-runs/applications/configuration.service.ts';
import { HOST_COMMAND_EFFECTS } from '../task-runs/applications/host-commands.service.ts';
import { HTTP_HOST_EFFECTS } from '../task-runs/applications/http-hosts.service.ts';
import { INVENTORY_EFFECTS } from '../task-runs/applications/inventory.service.ts';
import { ORCHESTRATOR_DEVICE_EFFECTS } from '../task-runs/applications/orchestrator-devices.service.ts';
import { SERVICE_INSTANCE_EFFECTS } from '../task-runs/applications/service-instances.service.ts';
import { COMPLIANCE_EFFECTS } from '../task-runs/compliance.service.ts';
import { contained, containedEffect } from '../task-runs/contained-runs.ts';
import { DEVICE_EFFECTS } from '../task-runs/devices.service.ts';
import { MOP_EFFECTS } from '../task-runs/mop.service.ts';
import { ORCHESTRATOR_EFFECTS } from '../task-runs/orchestrator.service.ts';
import { adapterOperation, REST_EFFECTS } from '../task-runs/rest.service.ts';
import { SCHEMA_RUNS, validateJsonSchemaInThread } from '../task-runs/schema.service.ts';
import { TEMPLATE_EFFECTS } from '../task-runs/templates.service.ts';
import { TRANSFORMATION_EFFECTS } from '../task-runs/transformation.service.ts';
import { ARRAY_RUNS } from '../task-runs/values/arrays.ts';
import { EVALUATION_RUNS } from '../task-runs/values/evaluation.ts';
import { MAKE_DATA_RUNS } from '../task-runs/values/make-data.ts';
import { MERGE_RUNS } from '../task-runs/values/merge.ts';
import { OBJECT_RUNS } from '../task-runs/values/objects.ts';
import { QUERY_RUNS } from '../task-runs/values/query.ts';
import { TEXT_RUNS } from '../task-runs/values/texts.ts';
import { TIME_EFFECTS, TIME_RUNS } from '../task-runs/values/times.ts';
import { VARIABLE_RUNS } from '../task-runs/values/variables.ts';
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
  ...SCHEMA_RUNS,
  ...ARRAY_RUNS,
  ...EVALUATION_RUNS,
  ...MAKE_DATA_RUNS,
  ...MERGE_RUNS,
  ...OBJECT_RUNS,
  ...QUERY_RUNS,
  ...TEXT_RUNS,
  ...TIME_RUNS,
  ...VARIABLE_RUNS,
};

const EFFECTS: Readonly<Record<string, EffectRun>> = {
  ...COMPLIANCE_EFFECTS,
  ...DEVICE_EFFECTS,
  ...MOP_EFFECTS,
  ...ORCHESTRATOR_EFFECTS,
  ...REST_EFFECTS,
  ...TEMPLATE_EFFECTS,
  ...TRANSFORMATION_EFFECTS,
  ...TIME_EFFECTS,
  ...ARTIFACT_EFFECTS,
  ...CONFIGURATION_EFFECTS,
  ...HOST_COMMAND_EFFECTS,
  ...HTTP_HOST_EFFECTS,
  ...INVENTORY_EFFECTS,
  ...ORCHESTRATOR_DEVICE_EFFECTS,
  ...SERVICE_INSTANCE_EFFECTS,
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
 * never throws, except that a pure one may throw TooMuchAtOnce, and one with an effect what the database throws while it cannot
 * be reached or lacks room: other errors are outcomes with finish error.
 */
export function runOf(app: string, name: string): TaskRun | undefined {
  const type = taskTypeOf(app, name);
  if (type) return RUNS.get(`${type.app}.${type.name}`);
  return isOurs(app) ? undefined : effect(adapterOperation(app, name));
}
