import { find } from '#db/collection.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { transformations } from '#db/tables/assets.ts';
import type { EffectRun } from '../tasks/outcome.ts';
import { outcomeInTime } from '../transformations/running.service.ts';
import { named } from './task-input.ts';

/** Runs the stored transformation that is named, as it stands now, once its account was found to be allowed to. */
export const transformation: EffectRun = async (incoming, { db }) => {
  const found = await find<Transformation>(db, transformations, named(incoming, 'tr_id'));
  return outcomeInTime({ document: found?.doc, incoming });
};
