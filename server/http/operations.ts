import type { z } from 'zod';
import { appRouter } from '#routers/index.ts';
import type { Endpoint } from '#server/kernel/platform.ts';
import { type Meta, type Procedure, permissionOf } from '#server/kernel/procedures.ts';
import { readNullsAsAbsent } from '#server/kernel/validation/absent-nulls.ts';
import { boundIssues } from '#server/kernel/validation/bounded-validation.ts';
import { decoderOf } from './input/decode.ts';

/** One documented endpoint: a procedure at its path, with everything known before a request arrives. */
export type Operation = {
  /** `configurationManager.getTree` */
  name: string;
  /** `ConfigurationManager.getTree` (contract/lifecycle#0.8) */
  permission: string;
  method: string;
  /** In the notation of the interface: `/configuration_manager/configs/:treeId` */
  path: string;
  /** The paths in the notation of the router. */
  patterns: string[];
  meta: Meta;
  procedure: Procedure;
  input: z.ZodObject;
  /** Names of path parameters, in order. */
  parameters: string[];
  /** GET and DELETE read their fields from the query or a body; the others from a body only. */
  queried: boolean;
  /** The option object whose fields are top-level query parameters (contract/decisions#get-options). */
  container: string | null;
  decode: (value: unknown) => unknown;
  types: readonly string[];
  /** Whether it is a subscription, which a reader can resume after `Last-Event-ID`. */
  resumes: boolean;
  /** Status of a success, unless the procedure sets another. */
  status: number;
};

const CONTAINERS = ['queryOptions', 'options'];

/**
 * Returns the REST operations of all procedures, most specific path first, so that fixed segments win over parameters
 * and parameters over a greedy one (contract/lifecycle#0.2.2).
 *
 * @param procedures by their name, `area.method`
 * @throws Error for a procedure whose declaration is incomplete
 */
export function operationsOf(procedures: Record<string, Procedure>): Operation[] {
  const operations: Operation[] = [];
  for (const [name, procedure] of Object.entries(procedures)) {
    const { meta, inputs } = procedure._def;
    const face = meta?.openapi;
    if (!meta || !face) continue;
    // Every procedure accepts one closed object (routers): its fields are the path, the query and the body.
    const input = inputs[0] as z.ZodObject | undefined;
    if (!input) throw new Error(`${name} has a REST endpoint but no input schema`);
    const parameters = [...face.path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '');
    const queried = face.method === 'GET' || face.method === 'DELETE';
    const path = face.path.replace(/\{(\w+)\}/g, ':$1');
    const spelled = [path, ...(meta.aliases ?? [])];
    operations.push({
      name,
      permission: permissionOf(name),
      method: face.method,
      path,
      patterns: spelled.map((one) =>
        meta.greedy ? one.replace(`:${meta.greedy}`, `:${meta.greedy}{.+}`) : one,
      ),
      meta,
      procedure,
      input,
      parameters,
      queried,
      container: queried ? (CONTAINERS.find((option) => option in input.shape) ?? null) : null,
      decode: decoderOf(input),
      types: face.contentTypes ?? ['application/json'],
      resumes: procedure._def.type === 'subscription',
      status: Number(Object.keys(meta.statuses ?? {})[0] ?? 200),
    });
  }
  return operations.sort((a, b) => (rank(a.path) < rank(b.path) ? -1 : 1));
}

/** Returns a sort key that puts fixed segments before parameters, and a longer path before a greedy one that matches it. */
const rank = (path: string) =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '~' : `!${segment}`))
    .join('/')
    .concat('/~~');

/** The procedures in the form in which the faces run them; tRPC's type of the router is less specific. */
export const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>;

for (const { _def } of Object.values(procedures)) {
  for (const input of _def.inputs) {
    boundIssues(input as z.ZodType);
    readNullsAsAbsent(input as z.ZodObject);
  }
}

export const operations = operationsOf(procedures);

/** Every REST endpoint and who may call it. */
export const endpoints: readonly Endpoint[] = operations.map(({ name, permission, method, path, meta }) => ({
  name,
  permission,
  method,
  path,
  audience: meta.audience ?? 'public',
}));
