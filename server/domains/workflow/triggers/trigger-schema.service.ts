import type { ImportedTrigger } from '#db/schemas/workflow/trigger.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { SchemaError } from '#server/kernel/validation/json-schema.ts';
import { assertUsable, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import { triggerIssues } from './trigger-documents.ts';

/**
 * Returns all issues with a trigger, its schema included.
 *
 * @param path path of the trigger in the request
 */
export async function triggerFaults(trigger: ImportedTrigger, path: (string | number)[]): Promise<Issue[]> {
  const issues = triggerIssues(trigger, path);
  if ((trigger.type !== 'endpoint' && trigger.type !== 'eventSystem') || !trigger.schema) return issues;
  try {
    await assertUsable(trigger.schema, SCHEMA_LIMITS.request);
    return issues;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return [...issues, { path: [...path, 'schema'], message: error.message, code: 'invalid_value' }];
  }
}
