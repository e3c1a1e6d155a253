import type { FaceEntry } from '#db/schemas/integrations/face.ts';
import type { AdapterTask } from '../adapter-task.ts';
import type { ApiOperation } from '../api-operation.ts';
import type { CatalogueTask } from '../catalogues/pronghorn.ts';
import { taskOf } from '../models/task.ts';
import type { AdapterType } from './adapter-type.ts';
import { matchArguments } from './face.ts';

/** The result of a task of a face: the answer in the form of adapters. */
const RESULT = {
  title: 'result',
  type: 'object',
  description: 'Answer of the other system: icode, code, response and headers',
};

/**
 * Returns a task of a face: the names are those of the adapter, as its catalogue or the task of the workflow has them, and the
 * operation carries it out.
 *
 * @param used name of the task, and names of its incoming values, as the workflow has them
 * @param described the task in the catalogue of the adapter, where one is stored
 */
export function faceTask(
  { type, displayName, model }: Pick<AdapterType, 'type' | 'displayName'> & { model: string },
  used: { name: string; values: readonly string[] },
  operation: ApiOperation,
  entry: FaceEntry,
  described?: CatalogueTask,
): AdapterTask {
  const own = taskOf(operation, { versionId: model, title: displayName });
  const names = new Set([...(described?.inputs.map(({ name }) => name) ?? []), ...used.values]);
  if (names.size === 0) for (const name of Object.keys(own.incoming)) names.add(name);
  const match = matchArguments(operation, [...names], entry);
  const incoming: [string, AdapterTask['incoming'][string]][] = [];
  for (const [name, value] of Object.entries(own.incoming)) {
    const source = Object.hasOwn(match.arguments, name) ? match.arguments[name] : undefined;
    if (source) incoming.push([source.from, value]);
    // The default of a media type is enough, and a face cannot name another.
    else if (!Object.hasOwn(match.constants, name) && name !== 'bodyContentType')
      incoming.push([name, value]);
  }
  const output = described?.output ?? { name: 'result', schema: RESULT };
  return {
    ...own,
    type,
    name: used.name,
    displayName,
    ...(described && { summary: described.summary, description: described.description }),
    incoming: Object.fromEntries(incoming),
    outgoing: { [output.name]: output.schema },
    call: {
      provider: 'face',
      model,
      operation,
      arguments: match.arguments,
      constants: match.constants,
      output: output.name,
    },
  };
}
