import { INVALID_TIME_LIMIT, isTimeLimit } from '../../tasks/time-limit.ts';

/** Maximum length of a list that child jobs are created from (contract/engines#task-details). */
const MOST_ELEMENTS = 10_000;

/** Number of child jobs that a task requests, and whether they run sequentially. */
export type Children = { total: number; loops: boolean; oneByOne: boolean };

/** Reads the incoming values of a childJob task. @returns a text when they are invalid */
export function listOfChildren(incoming: Record<string, unknown>): Children | string {
  const { workflow, loopType, data_array: elements } = incoming;
  if (typeof workflow !== 'string' || workflow === '') return 'workflow must be the name of a workflow';
  if (!isTimeLimit(incoming.timeLimit)) return `timeLimit ${INVALID_TIME_LIMIT}`;
  if (loopType !== 'sequential' && loopType !== 'parallel')
    return { total: 1, loops: false, oneByOne: false };
  if (!Array.isArray(elements)) return 'data_array must be a list';
  if (elements.length > MOST_ELEMENTS) return `data_array has more than ${MOST_ELEMENTS} elements`;
  return { total: elements.length, loops: true, oneByOne: loopType === 'sequential' };
}
