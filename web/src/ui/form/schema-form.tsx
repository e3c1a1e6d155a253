import { lazy, Suspense } from 'react';
import { api } from '~/api/client.ts';
import { loadCode } from '../load-code.ts';
import { Loading } from '../states.tsx';
import type { FieldIssue, SchemaFormProps } from './loaded-schema-form.tsx';

export type { FieldIssue } from './loaded-schema-form.tsx';

const Loaded = lazy(async () => {
  const { LoadedSchemaForm } = await loadCode(() => import('./loaded-schema-form.tsx'));
  return { default: LoadedSchemaForm };
});

/** A form made from a JSON schema; its code is loaded when it is first shown. The caller renders it inside its own form. */
export const SchemaForm = (props: SchemaFormProps) => (
  <Suspense fallback={<Loading what="Loading the form" />}>
    <Loaded {...props} />
  </Suspense>
);

/** Whether a schema describes fields; one that does not is edited as JSON. */
export const hasFields = (schema: Record<string, unknown> | null | undefined): boolean =>
  typeof schema?.properties === 'object' && Object.keys(schema.properties ?? {}).length > 0;

/** Lets the service validate data. @returns what is wrong, field by field; empty when nothing is */
export async function issuesOf(schema: Record<string, unknown>, data: unknown): Promise<FieldIssue[]> {
  const { errors } = await api.jsonForms.validateData.query({ schema, data });
  return errors;
}
