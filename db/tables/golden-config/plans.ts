import { sql } from 'drizzle-orm';
import { index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { access, document, requiredTextOf, textOf } from '../../columns.ts';
import type { CompliancePlan, PlanInstance } from '../../schemas/golden-config/compliance-plan.ts';

/** Compliance plans (contract/lifecycle#4.9). */
export const compliancePlans = pgTable(
  'compliance_plans',
  { ...document<CompliancePlan>(), ...access(), name: requiredTextOf('name') },
  (t) => [
    uniqueIndex('compliance_plans_name').on(t.name),
    index('compliance_plans_nodes').using('gin', sql`(doc -> 'nodes') jsonb_path_ops`),
  ],
);

/** Runs of plans, which outlive their plan. */
export const planInstances = pgTable(
  'compliance_plan_instances',
  {
    ...document<PlanInstance>(),
    planId: textOf('planId', 'plan_id'),
    jobStatus: textOf('jobStatus', 'job_status'),
    batchId: textOf('batchId', 'batch_id'),
    started: textOf('started'),
  },
  (t) => [
    // a plan has one run at a time
    uniqueIndex('compliance_plan_instances_running').on(t.planId).where(sql`job_status = 'running'`),
    index('compliance_plan_instances_plan').on(t.planId, t.started.desc().nullsLast(), t.id),
    index('compliance_plan_instances_started').on(t.started.desc().nullsLast(), t.id),
    index('compliance_plan_instances_batch').on(t.batchId),
  ],
);
