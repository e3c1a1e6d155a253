import type { AdapterTask } from '../adapter-task.ts';
import type { ApiOperation, DocumentSchema } from '../api-operation.ts';

/** Returns an operation of a model as a task. */
export function taskOfOperation(
  operation: ApiOperation,
  { versionId, title }: { versionId: string; title: string },
): AdapterTask {
  const { name, summary, description, deprecated, parameters, body, effect } = operation;
  const incoming: [string, { schema: DocumentSchema; required: boolean }][] = parameters.map((one) => [
    one.name,
    {
      schema: { title: one.name, ...(one.description && { description: one.description }), ...one.schema },
      required: one.required,
    },
  ]);
  if (body) {
    const types = body.contents.map(({ mediaType }) => mediaType);
    const [first] = body.contents;
    const bodySchema = { title: 'requestBodyPayload', ...first?.schema };
    incoming.push(
      [
        'bodyContentType',
        { schema: { title: 'bodyContentType', type: 'string', enum: types }, required: false },
      ],
      ['requestBodyPayload', { schema: bodySchema, required: body.required }],
    );
  }
  return {
    type: versionId,
    name,
    displayName: title,
    summary: summary || name,
    description,
    deprecated,
    incoming: Object.fromEntries(incoming),
    outgoing: { response: { title: 'response', type: 'object' } },
    effect,
    call: { provider: 'document', model: versionId, operation },
  };
}
