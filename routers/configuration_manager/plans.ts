import { z } from 'zod';
import {
  CompliancePlan,
  ImportedPlan,
  PlanInstance,
  PlanNodeRequest,
  PlanOptions,
} from '#db/schemas/golden-config/compliance-plan.ts';
import { Done, Name, ObjectId } from '#db/schemas/primitives.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { page, paging } from '#db/schemas/requests/paging.ts';
import {
  addPlanNodes,
  createPlan,
  deletePlans,
  getPlan,
  importPlans,
  removePlanNodes,
  runPlan,
  searchInstances,
  searchPlans,
  updatePlan,
} from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { Deleted, done, optional } from './requests.ts';

const PATH = '/configuration_manager/compliance_plans';
const planId = z.string().describe('Id of the plan');

const InstancePage = z.object({
  totalCount: z.int().min(0).describe('Number of matches in total'),
  plans: z.array(PlanInstance).describe('Runs of this page'),
});

export const plans = {
  createPlan: allow(...CONFIG_WRITE)
    .meta(rest('POST', PATH, 'Create a compliance plan'))
    .input(
      z.strictObject({
        name: Name.describe('Name of the plan, unique'),
        options: optional(PlanOptions).describe('Its nodes, and its access list'),
      }),
    )
    .output(answer(CompliancePlan))
    .mutation(write(({ ctx, input }) => createPlan(ctx, input.name, input.options ?? {}))),

  getPlan: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/:planId`, 'One compliance plan'))
    .input(z.strictObject({ planId }))
    .output(answer(CompliancePlan))
    .query(({ ctx, input }) => getPlan(ctx, input.planId)),

  updatePlan: allow(...CONFIG_WRITE)
    .meta(rest('PUT', PATH, 'Change a compliance plan'))
    .input(
      z.strictObject({
        planId,
        options: PlanOptions.extend({ name: optional(Name).describe('New name') }).describe('What changes'),
      }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const plan = await updatePlan(ctx, input.planId, input.options);
        return done(`Updated compliance plan ${plan.name}`);
      }),
    ),

  deletePlans: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', PATH, 'Delete compliance plans; their runs and reports stay'))
    .input(z.strictObject({ planIds: z.array(ObjectId).describe('Ids of the plans') }))
    .output(answer(Deleted))
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        deleted: await deletePlans(ctx, input.planIds),
      })),
    ),

  addPlanNodes: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/nodes`, 'Add nodes to a compliance plan'))
    .input(z.strictObject({ planId, nodes: z.array(PlanNodeRequest).max(1000).describe('Nodes to check') }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const plan = await addPlanNodes(ctx, input.planId, input.nodes);
        return done(`Updated the nodes of compliance plan ${plan.name}`);
      }),
    ),

  removePlanNodes: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', `${PATH}/nodes`, 'Remove nodes from a compliance plan'))
    .input(
      z
        .strictObject({
          planId,
          nodeIds: optional(z.array(ObjectId)).describe('Ids of the specs of the nodes'),
          nodes: optional(z.array(z.looseObject({ nodeId: ObjectId }))).describe(
            'The nodes, identified by `nodeId`',
          ),
        })
        .meta({ examples: [{ planId: '65f0c1d2e3a4b5c6d7e8f901', nodeIds: ['65f0c1d2e3a4b5c6d7e8f902'] }] }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { nodeIds = [], nodes = [], ...input } }) => {
        const ids = [...nodeIds, ...nodes.map(({ nodeId }) => nodeId)];
        const plan = await removePlanNodes(ctx, input.planId, ids);
        return done(`Updated the nodes of compliance plan ${plan.name}`);
      }),
    ),

  runPlan: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/run`, 'Run a compliance plan', {
        errorResponses: {
          409: 'The plan is running.',
          422: 'A node of the plan no longer exists, or its device type has no parser.',
        },
      }),
    )
    .input(
      z.strictObject({
        planId,
        options: optional(z.looseObject({})).describe('Has no effect; accepted because clients send it'),
      }),
    )
    .output(
      answer(
        z.object({
          message: z.string().meta({ examples: ['Successfully started compliance plan.'] }),
          planId: ObjectId,
          instanceId: ObjectId.describe('Id of the run'),
        }),
      ),
    )
    .mutation(write(({ ctx, input }) => runPlan(ctx, input.planId))),

  searchPlans: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/search/compliance_plans', 'Search for compliance plans'))
    .input(
      z.strictObject({
        name: optional(z.string()).describe('Text in the name; an expression with `regex`'),
        options: optional(z.strictObject(page)).describe('Page and order'),
      }),
    )
    .output(answer(z.object({ totalCount: z.int().min(0), plans: z.array(CompliancePlan) })))
    .query(({ ctx, input }) => searchPlans(ctx, input)),

  searchPlanInstances: allow(...CONFIG_READ)
    .meta(
      rest('POST', '/configuration_manager/search/compliance_plan_instances', 'Runs of plans, newest first'),
    )
    .input(
      z.strictObject({
        searchParams: optional(
          z.strictObject({
            instanceId: optional(z.string()).describe('Only this run'),
            planId: optional(z.string()).describe('Only runs of this plan'),
            jobStatus: optional(z.enum(['running', 'complete', 'canceled', 'error'])).describe(
              'Only runs with this status',
            ),
            ...paging,
          }),
        ).describe('Which runs, and which page of them'),
      }),
    )
    .output(
      answer(
        InstancePage.extend({
          groups: z.array(InstancePage).describe('The same page, as some clients send it'),
        }),
      ),
    )
    .query(({ ctx, input }) => searchInstances(ctx, input.searchParams ?? {})),

  importPlans: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/plans', 'Import compliance plans, all or none', {
        bodyLimit: 'import',
      }),
    )
    .input(z.strictObject({ plans: z.array(imported(ImportedPlan)).max(10_000).describe('Plans to store') }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const { count, warnings } = await importPlans(ctx, input.plans);
        return done(
          messageWithWarnings(`Imported ${count} compliance ${count === 1 ? 'plan' : 'plans'}`, warnings),
        );
      }),
    ),
};
