import { gunzipSync } from 'node:zlib';
import type { ApiOperation } from '../api-operation.ts';
import { bundleTask, type TaskSchemas } from './bundle.ts';

/** @property source the document as it is stored; `operation` one of its operations */
export type BundleInput = { source: Uint8Array; operation: ApiOperation };

/** The document that was read last: the tasks of one model are asked for one by one. */
let last: { source: Buffer; document: Record<string, unknown> } | undefined;

/** Returns the schemas of a task, from the stored text of its document; the last document is remembered. */
export function bundledSchemas({ source, operation }: BundleInput): TaskSchemas {
  const bytes = Buffer.from(source);
  if (!last?.source.equals(bytes)) {
    last = {
      source: bytes,
      document: JSON.parse(gunzipSync(bytes).toString('utf8')) as Record<string, unknown>,
    };
  }
  return bundleTask(last.document, operation);
}
