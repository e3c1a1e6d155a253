import { queryValue } from '../../query/find.ts';
import { replaceFound } from '../../query/replace.ts';
import type { PureRun } from '../../tasks/outcome.ts';
import { negative, succeeded } from '../finish.ts';
import { flag, optional, orNull, required, text } from '../task-input.ts';

/** Queries a value; a query that finds nothing finishes with failure, unless `pass_on_null` is set. */
export const query: PureRun = (incoming) => {
  const found = queryValue(optional(text, incoming, 'query', ''), incoming.obj);
  if (found !== undefined && found !== null) return succeeded({ return_data: found });
  const passes = optional(flag, incoming, 'pass_on_null', false);
  return passes ? succeeded({ return_data: null }) : negative({ return_data: null });
};

const modify: PureRun = (incoming) => {
  const whole = required(incoming, 'object_to_update');
  const { value, found } = replaceFound(
    optional(text, incoming, 'query', ''),
    whole,
    orNull(incoming, 'new_value'),
  );
  return found ? succeeded({ updated_object: value }) : negative({ updated_object: whole });
};

/** The runs of these tasks, by name. */
export const QUERY_RUNS: Readonly<Record<string, PureRun>> = { modify, query };
