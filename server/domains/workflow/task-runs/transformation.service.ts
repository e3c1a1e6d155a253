import { find } from '#db/collection.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { transformations } from '#db/tables/assets/assets.ts';
import type { EffectRun } from '../tasks/outcome.ts';
import { outcomeInTime } from '../transformations/running.service.ts';
import { named } from './task-input.ts';

/** Runs the current version of a stored transformation; the account was authorized before. */
const transformation: EffectRun = async (incoming, { db }) => {
  const found = await find<Transformation>(db, transformations, named(incoming, 'tr_id'));
  return outcomeInTime({ document: found?.doc, incoming });
};

/** The runs of these tasks, by application and name. */
export const TRANSFORMATION_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'WorkFlowEngine.transformation': transformation,
};
