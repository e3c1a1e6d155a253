import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import {
  calculatedFindings,
  calculatedSchemas,
  type FindingsRequest,
  type SchemasRequest,
} from './calculate.ts';
import type { Schemas } from './schemas.ts';
import type { WorkflowFindings } from './validate.ts';

/** Characters of a workflow that is calculated on the event loop, with what it names: a few hundredths of a second. */
const MOST_AT_ONCE = 200_000;

/**
 * The schemas of a workflow; those of a large one are calculated in a thread.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT beyond the limit of time and memory; TOO_MANY_REQUESTS
 */
export const schemasInTime = (asked: SchemasRequest): Promise<Schemas> =>
  calculateInTime('schemas of a workflow', asked, calculatedSchemas, MOST_AT_ONCE, tooCostly);

/** The findings of a workflow, likewise. @throws ServiceError as `schemasInTime` */
export const findingsInTime = (asked: FindingsRequest): Promise<WorkflowFindings> =>
  calculateInTime('findings of a workflow', asked, calculatedFindings, MOST_AT_ONCE, tooCostly);

const tooCostly = (reason: string) => unprocessable(`The workflow could not be looked through: it ${reason}`);
