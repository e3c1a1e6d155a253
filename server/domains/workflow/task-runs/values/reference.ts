import { isObject } from '#server/kernel/json/objects.ts';
import type { JobView } from '../../tasks/outcome.ts';

/**
 * Returns the value of an operand or an entry: resolved for `{task, variable}` or `{task, value}`; anything else is a
 * literal (contract/engines#variables).
 */
export function valueBehind(written: unknown, resolve: JobView['resolve']): unknown {
  if (!isObject(written) || typeof written.task !== 'string') return written;
  const variable = Object.hasOwn(written, 'variable') ? written.variable : written.value;
  return written.task === 'static' || written.task === ''
    ? variable
    : resolve({ task: written.task, variable });
}
