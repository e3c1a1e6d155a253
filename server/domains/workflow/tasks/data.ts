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
    incoming: { arr, elementN: takes(NOT_NULL, 'What is appended', 'c') },
    outgoing: { pushedArray: outgoingSchema(LIST, 'The longer list', ['a', 'b', 'c']) },
  }),
  pure('Array', 'arrayLength', 'length', {
    summary: 'Count the items of a list',
    incoming: { arr },
    outgoing: { length: outgoingSchema(COUNT, 'How many there are', 2) },
  }),
  pure('Array', 'arrayIncludes', 'includes', {
    summary: 'Tell whether a list holds an item',
    incoming: {
      arr,
      searchElement: needs(NOT_NULL, 'The item', 'a'),
      fromIndex: takes(COUNT, 'Where to begin', 0),
    },
    outgoing: {
      found: outgoingSchema('boolean', 'Whether it does', true),
      result: outgoingSchema('boolean', 'The same, under the name that imported workflows read', true),
    },
  }),
  pure('Array', 'arrayIndexOf', 'indexOf', {
    summary: 'Find the place of an item in a list',
    incoming: {
      arr,
      searchElement: needs(NOT_NULL, 'The item', 'a'),
      fromIndex: takes(COUNT, 'Where to begin', 0),
    },
    outgoing: { index: outgoingSchema(COUNT, 'Its place, counted from 0; -1: it is not there', 0) },
  }),
  pure('Array', 'arrayConcat', 'concat', {
    summary: 'Put lists one behind the other',
    incoming: { arr, arrayN: takes(LIST, 'The lists behind it', ['c']) },
    outgoing: { concatenatedArray: outgoingSchema(LIST, 'The one list', ['a', 'b', 'c']) },
  }),
  pure('Array', 'join', 'join', {
    summary: 'Make one text of the items of a list',
    incoming: { arr, separator: takes(TEXT, 'What stands between them', ', ') },
    outgoing: { joinedElements: outgoingSchema(TEXT, 'The text', 'a, b') },
  }),
  pure('String', 'stringConcat', 'concat', {
    summary: 'Put texts one behind the other',
    incoming: { str, stringN: takes([TEXT, LIST], 'The texts behind it', '.example') },
    outgoing: { combinedStrings: outgoingSchema(TEXT, 'The one text', 'edge-1.example') },
  }),
  pure('String', 'stringLength', 'length', {
    summary: 'Count the characters of a text',
    incoming: { str },
    outgoing: { length: outgoingSchema(COUNT, 'How many there are', 6) },
  }),
  pure('String', 'split', 'split', {
    summary: 'Cut a text into a list',
    incoming: {
      str,
      separator: needs(TEXT, 'What stands between the parts', '-'),
      limit: takes(COUNT, 'Most parts'),
    },
    outgoing: { splitArray: outgoingSchema(LIST, 'The parts', ['edge', '1']) },
  }),
  pure('String', 'replace', 'replace', {
    summary: 'Replace a part of a text',
    incoming: {
      str,
      substr: needs(TEXT, 'The part', 'edge'),
      newSubstr: takes(TEXT, 'What takes its place', 'core'),
    },
    outgoing: { replacedString: outgoingSchema(TEXT, 'The new text', 'core-1') },
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
    summary: 'Read a text as JSON',
    incoming: { text: needs(TEXT, 'JSON text', '{"site":"oslo"}') },
    outgoing: { textObject: outgoingSchema(ANY, 'What it says', { site: 'oslo' }) },
  }),
  pure('Object', 'stringify', 'stringify', {
    summary: 'Write a value as JSON text',
    incoming: { obj: needs(ANY, 'The value', { site: 'oslo' }) },
    outgoing: { stringifiedObject: outgoingSchema(TEXT, 'Its text', '{"site":"oslo"}') },
  }),
  pure('Object', 'setObjectKey', 'setObjectKey', {
    summary: 'Set a member of an object',
    incoming: {
      obj: needs(OBJECT, 'The object', { site: {} }),
      path: needs(LIST, 'Names of the members on the way', ['site', 'name']),
      value: takes(NOT_NULL, 'What the member gets', 'oslo'),
    },
    outgoing: { object: outgoingSchema(OBJECT, 'The changed object', { site: { name: 'oslo' } }) },
  }),
  pure('Time', 'getTime', 'getTime', {
    summary: 'Tell the time',
    incoming: {
      timezone: takes(TEXT, 'Offset from UTC, or a zone: Europe/Oslo', '+02:00'),
      offsetDuration: takes(
        [TEXT, 'number', OBJECT],
        'How far from now: -P7D, {"days": 7}, milliseconds',
        '-P7D',
      ),
      format: takes(TEXT, 'How the time is written; empty: ISO 8601', 'YYYY-MM-DD'),
    },
    outgoing: { time: outgoingSchema(TEXT, 'The time', '2026-02-03T04:05:06.789Z') },
    effect: 'read',
  }),
  pure('Time', 'calculateTimeDiff', 'calculateTimeDiff', {
    summary: 'Tell how far two times lie apart',
    incoming: {
      firstTime: needs([TEXT, OBJECT], 'Time from which the other one is taken away', '2026-02-03T05:05:06Z'),
      secondTime: needs([TEXT, OBJECT], 'The other time: ISO 8601, or {time, formatString}', {
        time: '03.02.2026 04:05',
        formatString: 'DD.MM.YYYY HH:mm',
      }),
    },
    outgoing: { timeDiff: outgoingSchema(OBJECT, 'How far, in each unit', { hours: 1, minutes: 60 }) },
  }),
  pure('Tools', 'makeData', 'makeData', {
    summary: 'Fill values into a text',
    incoming: {
      input: needs([TEXT, OBJECT], 'Text with <!name!> where a value goes', 'interface <!name!>'),
      outputType: needs(TEXT, 'What the filled text is read as', TEXT, {
        enum: [TEXT, 'json', 'number', 'boolean'],
      }),
      variables: takes(ANY, 'The values, by name', { name: 'Gi0/1' }),
    },
    outgoing: { output: outgoingSchema(['array', TEXT, 'boolean', 'number', OBJECT], 'The filled text') },
  }),
];
