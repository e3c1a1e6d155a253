import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { SchemaError, SchemaTooCostly } from '#server/kernel/validation/json-schema.ts';
import { checkAllBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import type { PayloadCheck } from './matching.ts';

/** Time for which a schema that exceeded the limit is not tried again. */
const PAUSE_MS = 10 * 60_000;
const MOST_PAUSED = 10_000;

/** Times when schemas may be tried again, by their hashes. */
const paused = new Map<string, number>();

/**
 * Returns a function that checks payloads against a trigger's schema. No payload meets an unusable schema. Neither for some
 * minutes a schema that took too long: every event would pay for it again, and all other triggers would wait.
 */
export const openPayloadCheck =
  (log: Pick<Logger, 'warn'>): PayloadCheck =>
  async ({ _id, schema }, payloads) => {
    if (!schema) return payloads.map(() => true);
    const hash = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    const none = payloads.map(() => false);
    if ((paused.get(hash) ?? 0) > performance.now()) return none;
    try {
      const issues = await checkAllBySchema(schema, payloads, SCHEMA_LIMITS.events);
      return issues.map(({ length }) => length === 0);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      if (!(error instanceof SchemaTooCostly)) return none;
      const pause = `events are not evaluated against this schema for ${PAUSE_MS / 60_000} minutes`;
      log.warn({ trigger: _id, reason: error.message }, pause);
      keepLatest(paused, MOST_PAUSED, hash, performance.now() + PAUSE_MS);
      return none;
    }
  };
