import { OWN_DATA } from './operations.ts';
import {
  ANY,
  COUNT,
  LIST,
  NOT_NULL,
  NUMBER,
  needs,
  OBJECT,
  outgoingSchema,
  type TaskType,
  TEXT,
  takes,
  taskOf,
} from './task-type.ts';

const APP = 'WorkFlowEngine';

type TaskParts = Pick<TaskType, 'summary' | 'incoming' | 'outgoing'> & Partial<Pick<TaskType, 'effect'>>;

/** Declares a task that works on values alone, with its heading and short name in the canvas. */
const pure = (displayName: string, name: string, canvasName: string, parts: TaskParts): TaskType =>
  taskOf(APP, name, {
    displayName,
    canvasName,
    description: `${parts.summary}.`,
    effect: 'pure',
    requires: OWN_DATA,
    ...parts,
  });

const arr = needs(LIST, 'The list', ['a', 'b']);
const str = needs(TEXT, 'The text', 'edge-1');

/** Tasks on lists, texts, objects and times. */
export const DATA = [
  pure('Array', 'arrayPush', 'push', {
    summary: 'Append an item to a list',
    incoming: { arr, elementN: takes(NOT_NULL, 'The item to append', 'c') },
    outgoing: { pushedArray: outgoingSchema(LIST, 'The list with the item at its end', ['a', 'b', 'c']) },
  }),
  pure('Array', 'arrayLength', 'length', {
    summary: 'Count the items of a list',
    incoming: { arr },
    outgoing: { length: outgoingSchema(COUNT, 'The number of items', 2) },
  }),
  pure('Array', 'arrayIncludes', 'includes', {
    summary: 'Check whether a list contains an item',
    incoming: {
      arr,
      searchElement: needs(NOT_NULL, 'The item', 'a'),
      fromIndex: takes(COUNT, 'Index at which to start', 0),
    },
    outgoing: {
      found: outgoingSchema('boolean', 'Whether it does', true),
      result: outgoingSchema('boolean', 'The same, under the name that imported workflows read', true),
    },
  }),
  pure('Array', 'arrayIndexOf', 'indexOf', {
    summary: 'Find the index of an item in a list',
    incoming: {
      arr,
      searchElement: needs(NOT_NULL, 'The item', 'a'),
      fromIndex: takes(COUNT, 'Index at which to start', 0),
    },
    outgoing: {
      index: outgoingSchema(COUNT, 'The index, counted from 0; -1: the list does not contain the item', 0),
    },
  }),
  pure('Array', 'arrayConcat', 'concat', {
    summary: 'Concatenate lists',
    incoming: { arr, arrayN: takes(LIST, 'The lists to add at the end', ['c']) },
    outgoing: { concatenatedArray: outgoingSchema(LIST, 'The concatenated list', ['a', 'b', 'c']) },
  }),
  pure('Array', 'join', 'join', {
    summary: 'Join the items of a list into a string',
    incoming: { arr, separator: takes(TEXT, 'The separator between items', ', ') },
    outgoing: { joinedElements: outgoingSchema(TEXT, 'The text', 'a, b') },
  }),
  pure('String', 'stringConcat', 'concat', {
    summary: 'Concatenate strings',
    incoming: { str, stringN: takes([TEXT, LIST], 'The strings to add at the end', '.example') },
    outgoing: { combinedStrings: outgoingSchema(TEXT, 'The concatenated string', 'edge-1.example') },
  }),
  pure('String', 'stringLength', 'length', {
    summary: 'Count the characters of a string',
    incoming: { str },
    outgoing: { length: outgoingSchema(COUNT, 'The number of characters', 6) },
  }),
  pure('String', 'split', 'split', {
    summary: 'Split a string into a list',
    incoming: {
      str,
      separator: needs(TEXT, 'The separator between the parts', '-'),
      limit: takes(COUNT, 'Most parts'),
    },
    outgoing: { splitArray: outgoingSchema(LIST, 'The parts', ['edge', '1']) },
  }),
  pure('String', 'replace', 'replace', {
    summary: 'Replace a part of a string',
    incoming: {
      str,
      substr: needs(TEXT, 'The part', 'edge'),
      newSubstr: takes(TEXT, 'The replacement', 'core'),
    },
    outgoing: { replacedString: outgoingSchema(TEXT, 'The new string', 'core-1') },
  }),
  pure('String', 'substring', 'substring', {
    summary: 'Cut a part out of a text',
    incoming: {
      str,
      indexStart: takes(COUNT, 'Index of the first character, from 0', 5),
      indexEnd: takes(COUNT, 'Index after the last character; empty: up to the end'),
    },
    outgoing: { substring: outgoingSchema(TEXT, 'The part', '1') },
  }),
  pure('Number', 'numberToString', 'toString', {
    summary: 'Write a number as text',
    incoming: {
      num: needs(NUMBER, 'The number', 255),
      radix: takes(COUNT, 'Base of the notation, 2 to 36; empty: 10', 16),
    },
    outgoing: { numToString: outgoingSchema(TEXT, 'The text', 'ff') },
  }),
  pure('String', 'parse', 'parse', {
    summary: 'Parse a string as JSON',
    incoming: { text: needs(TEXT, 'JSON text', '{"site":"oslo"}') },
    outgoing: { textObject: outgoingSchema(ANY, 'The parsed value', { site: 'oslo' }) },
  }),
  pure('Object', 'stringify', 'stringify', {
    summary: 'Write a value as JSON text',
    incoming: { obj: needs(ANY, 'The value', { site: 'oslo' }) },
    outgoing: { stringifiedObject: outgoingSchema(TEXT, 'Its text', '{"site":"oslo"}') },
  }),
  pure('Object', 'setObjectKey', 'setObjectKey', {
    summary: 'Set a field of an object',
    incoming: {
      obj: needs(OBJECT, 'The object', { site: {} }),
      path: needs(LIST, 'Path to the field, as a list of names', ['site', 'name']),
      value: takes(NOT_NULL, 'Value of the field', 'oslo'),
    },
    outgoing: { object: outgoingSchema(OBJECT, 'The object after the change', { site: { name: 'oslo' } }) },
  }),
  pure('Time', 'getTime', 'getTime', {
    summary: 'Get the current time',
    incoming: {
      timezone: takes(TEXT, 'Offset from UTC, or a time zone such as Europe/Oslo', '+02:00'),
      offsetDuration: takes(
        [TEXT, 'number', OBJECT],
        'Offset from now: -P7D, {"days": 7}, or milliseconds',
        '-P7D',
      ),
      format: takes(TEXT, 'Format of the time; empty: ISO 8601', 'YYYY-MM-DD'),
    },
    outgoing: { time: outgoingSchema(TEXT, 'The time', '2026-02-03T04:05:06.789Z') },
    effect: 'read',
  }),
  pure('Time', 'calculateTimeDiff', 'calculateTimeDiff', {
    summary: 'Calculate the time between two times',
    incoming: {
      firstTime: needs([TEXT, OBJECT], 'Time from which the other one is subtracted', '2026-02-03T05:05:06Z'),
      secondTime: needs([TEXT, OBJECT], 'The time to subtract: ISO 8601, or {time, formatString}', {
        time: '03.02.2026 04:05',
        formatString: 'DD.MM.YYYY HH:mm',
      }),
    },
    outgoing: { timeDiff: outgoingSchema(OBJECT, 'The difference, in each unit', { hours: 1, minutes: 60 }) },
  }),
  pure('Tools', 'makeData', 'makeData', {
    summary: 'Replace the variables of a text',
    incoming: {
      input: needs([TEXT, OBJECT], 'Text with <!name!> in place of each value', 'interface <!name!>'),
      outputType: needs(TEXT, 'Type of the result', TEXT, {
        enum: [TEXT, 'json', 'number', 'boolean'],
      }),
      variables: takes(ANY, 'The values, by name', { name: 'Gi0/1' }),
    },
    outgoing: {
      output: outgoingSchema(
        ['array', TEXT, 'boolean', 'number', OBJECT],
        'The text with its variables replaced',
      ),
    },
  }),
];
