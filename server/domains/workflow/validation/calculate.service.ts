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

/** Maximum number of characters of a workflow and its references for the event loop: a few hundredths of a second. */
const MOST_AT_ONCE = 200_000;

/**
 * Returns the schemas of a workflow; those of a large one are calculated in a worker thread.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT beyond the limit of time and memory; TOO_MANY_REQUESTS
 */
export const schemasInTime = (asked: SchemasRequest): Promise<Schemas> =>
  calculateInTime('schemas of a workflow', asked, calculatedSchemas, MOST_AT_ONCE, tooCostly);

/** Returns the findings of a workflow in the same manner. @throws ServiceError as `schemasInTime` */
export const findingsInTime = (asked: FindingsRequest): Promise<WorkflowFindings> =>
  calculateInTime('findings of a workflow', asked, calculatedFindings, MOST_AT_ONCE, tooCostly);

const tooCostly = (reason: string) => unprocessable(`The workflow could not be validated: it ${reason}`);
