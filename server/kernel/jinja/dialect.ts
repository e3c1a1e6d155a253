import { printNumber, printPython, pythonJson } from './built-ins/python-text.ts';
import { type CostCounter, toJson } from './values.ts';

/** What Jinja leaves to its environment, and where the rules of golden configurations differ from it. */
export type Dialect = {
  /** Whether a value that is missing is an error wherever it is needed, or stands for nothing. */
  missing: 'is an error' | 'is nothing';
  /** Returns a list, a dict or a boolean as text. */
  print: (value: unknown, toll: CostCounter) => string;
  /** Returns a number as text. */
  number: (value: number) => string;
  /** Text that none prints. */
  none: string;
  /** Returns a value as the filter `tojson` writes it. @param indent spaces per level; absent: on one line */
  json: (value: unknown, toll: CostCounter, indent?: number) => string;
  /** What the filter `int` reads of a text: the digits that it begins with, or all of it. */
  wholeNumber: RegExp;
  /** Whether the text of a template is read as Jinja reads it: without the line end that a file ends with. */
  dropsLastLineEnd: boolean;
};

/**
 * Rules of golden configurations and device templates: a missing variable must never grade a device by a rule without it, or
 * reach one as a command without it.
 */
export const RULES: Dialect = {
  missing: 'is an error',
  print: toJson,
  number: String,
  none: '',
  json: toJson,
  wholeNumber: /^\s*[-+]?\d+/,
  dropsLastLineEnd: false,
};

/** Text templates: what Jinja 3.1 renders with its default settings. */
export const JINJA: Dialect = {
  missing: 'is nothing',
  print: printPython,
  number: printNumber,
  none: 'None',
  json: pythonJson,
  wholeNumber: /^\s*[-+]?\d+(\.\d*)?\s*$/,
  dropsLastLineEnd: true,
};

/** The dialects by their names, as threads receive them. */
export const DIALECTS = { rules: RULES, jinja: JINJA } as const;
