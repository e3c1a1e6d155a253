import { transformations } from '#db/asset-tables.ts';
import { find } from '#db/collection.ts';
import type { Transformation } from '#db/schemas/transformation.ts';
import { transformationOutcome } from '#server/engines/transformations/task.ts';
import type { EffectRun } from '../outcome.ts';
import { named } from './given.ts';

/**
 * Runs the stored transformation that is named, as it stands now. It is part of the workflow that names it: whoever may
 * run that needs no right to read it.
 */
export const transformation: EffectRun = async (incoming, { db }) => {
  const found = await find<Transformation>(db, transformations, named(incoming, 'tr_id'));
  return transformationOutcome(found?.doc, incoming);
};
