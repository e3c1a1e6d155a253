import { isObject } from '#server/kernel/json/objects.ts';
import type { JobView } from '../../tasks/outcome.ts';

/**
 * The value that an operand or an entry stands for: behind `{task, variable}` or `{task, value}`; what is no reference
 * stands for itself (contract/engines#variables).
 */
export function valueBehind(written: unknown, resolve: JobView['resolve']): unknown {
  if (!isObject(written) || typeof written.task !== 'string') return written;
  const variable = Object.hasOwn(written, 'variable') ? written.variable : written.value;
  return written.task === 'static' || written.task === ''
    ? variable
    : resolve({ task: written.task, variable });
}
