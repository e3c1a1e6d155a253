import { afterAll, afterEach, expect } from 'vitest';
import { errorStatusesOf } from '#server/http/openapi/errors.ts';
import { operations } from '#server/http/operations.ts';
import type { Metrics } from '#server/kernel/observability/metrics.ts';

/** The statuses that the OpenAPI document declares of each operation, by its method and path. */
const declared = new Map(
  operations.map((operation) => [
    `${operation.method} ${operation.path}`,
    new Set([
      ...Object.keys(operation.meta.statuses ?? { 200: '' }).map(Number),
      ...errorStatusesOf(operation),
    ]),
  ]),
);

/**
 * Whether no document declares the status: a caller that has gone reads none (499), and a GET is documented without a body,
 * which is nevertheless read, and rejected where it is too large or of another type (413, 415).
 */
const isOutside = (method: string, status: number) =>
  status === 499 || (method === 'GET' && (status === 413 || status === 415));

/**
 * Compares every answer of a service with the statuses that its operation declares: one that is not declared fails the
 * test that provoked it. Each request is seen where it is measured, so that the service needs no hook for it.
 *
 * @param metrics of the service
 * @returns the undeclared answers of the current test so far, such as `GET /version 418`
 */
export function recordStatuses(metrics: Metrics): string[] {
  const undeclared: string[] = [];
  const { request } = metrics;
  metrics.request = (method, route, status, seconds) => {
    const place = `${method === 'HEAD' ? 'GET' : method} ${route}`;
    if (!isOutside(method, status) && declared.get(place)?.has(status) === false)
      undeclared.push(`${place} ${status}`);
    request(method, route, status, seconds);
  };
  const check = () =>
    expect(undeclared.splice(0), 'statuses that the OpenAPI document does not declare').toEqual([]);
  afterEach(check);
  afterAll(check);
  return undeclared;
}
