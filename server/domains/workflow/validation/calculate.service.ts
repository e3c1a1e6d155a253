import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import { calculatedFindings, calculatedSchemas, type FindingsAsked, type SchemasAsked } from './calculate.ts';
import type { Schemas } from './schemas.ts';
import type { Findings } from './validate.ts';

/** Characters of a workflow that is calculated on the event loop, with what it names: a few hundredths of a second. */
const MOST_AT_ONCE = 200_000;

/**
 * The schemas of a workflow; those of a large one are calculated in a thread.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT beyond the limit of time and memory; TOO_MANY_REQUESTS
 */
export const schemasInTime = (asked: SchemasAsked): Promise<Schemas> =>
  inTime('schemas of a workflow', asked, calculatedSchemas);

/** The findings of a workflow, likewise. @throws ServiceError as `schemasInTime` */
export const findingsInTime = (asked: FindingsAsked): Promise<Findings> =>
  inTime('findings of a workflow', asked, calculatedFindings);

async function inTime<Asked extends object, Result>(
  name: string,
  asked: Asked,
  calculate: (asked: Asked) => Result,
): Promise<Result> {
  if (sizeOf(asked, MOST_AT_ONCE) <= MOST_AT_ONCE) return calculate(asked);
  return (await calculateForRequest(name, asked, tooCostly)) as Result;
}

const tooCostly = (reason: string) => unprocessable(`The workflow could not be looked through: it ${reason}`);
