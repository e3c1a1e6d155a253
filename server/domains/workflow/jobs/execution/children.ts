import { isTimeLimit, TIME_LIMIT_REFUSED } from '../../tasks/time-limit.ts';

/** Longest list that child jobs are made of (contract/engines#task-details). */
const MOST_ELEMENTS = 10_000;

/** How many child jobs a task asks for, and how they follow each other. */
export type Children = { total: number; loops: boolean; oneByOne: boolean };

/** Read what a childJob task is given; a text says what is wrong with it. */
export function listOfChildren(incoming: Record<string, unknown>): Children | string {
  const { workflow, loopType, data_array: elements } = incoming;
  if (typeof workflow !== 'string' || workflow === '') return 'workflow must be the name of a workflow';
  if (!isTimeLimit(incoming.timeLimit)) return `timeLimit ${TIME_LIMIT_REFUSED}`;
  if (loopType !== 'sequential' && loopType !== 'parallel')
    return { total: 1, loops: false, oneByOne: false };
  if (!Array.isArray(elements)) return 'data_array must be a list';
  if (elements.length > MOST_ELEMENTS) return `data_array holds more than ${MOST_ELEMENTS} elements`;
  return { total: elements.length, loops: true, oneByOne: loopType === 'sequential' };
}
