import type { RecordAction, TextFsm, TextFsmRule, Value } from './template.ts';

/** The content of one Value in a record: a string, or the elements of a List. */
export type Cell = string | (string | Record<string, string | null> | null)[];

/** One record: cells by the names of the Values, in their order. */
export type TextFsmRecord = Record<string, Cell>;

/** The error for a text that a template rejects: an Error rule matched, or a limit was exceeded. */
export class TextFsmRunError extends Error {
  /** Line of the text, from 1. */
  readonly line: number;
  constructor(line: number, message: string) {
    super(`line ${line} of the text: ${message}`);
    this.name = 'TextFsmRunError';
    this.line = line;
  }
}

/** The limits of parsing one text. */
const MOST = {
  /** Steps that the expressions could take in the worst case; most take far fewer. */
  work: 5e10,
  /** Characters of one line. */
  lineLength: 20_000,
  /** Characters of all records. */
  output: 32 * 1024 * 1024,
};

/** The state of a Value during parsing. */
type Slot = {
  value: Value;
  column: number;
  now: Cell | null;
  /** The value that a Filldown carries on to the next records. */
  carried: string | null;
  list: Exclude<Cell, string>;
};

type RecordRow = (Cell | null)[];
type RunState = { slots: Map<string, Slot>; rows: RecordRow[]; output: number; work: number };

/**
 * Parses a text with a template, line by line: the first rule of the state that matches determines the action, unless it
 * says Continue. At the end of the text the current record is kept, unless the template has a state EOF
 * (contract/lifecycle#5.4).
 *
 * @returns the records
 * @throws TextFsmRunError
 */
export function readText({ values, states }: TextFsm, text: string): TextFsmRecord[] {
  const slots = values.map((value, column): [string, Slot] => [
    value.name,
    { value, column, now: null, carried: null, list: [] },
  ]);
  const reading: RunState = { slots: new Map(slots), rows: [], output: 0, work: 0 };
  let state = 'Start';
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    if (line.length > MOST.lineLength)
      throw new TextFsmRunError(number, `longer than ${MOST.lineLength} characters`);
    state = stateAfter(reading, states.get(state) ?? [], line, number) ?? state;
    if (state === 'End' || state === 'EOF') break;
  }
  if (state !== 'End' && !states.has('EOF')) storeRecord(reading, number);
  return reading.rows.map((row) =>
    Object.fromEntries(values.map(({ name }, column) => [name, row[column] ?? ''])),
  );
}

/** Splits a text at every kind of line end; one at the very end begins no further line. */
function* linesOf(text: string): Generator<string> {
  const end = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
  let from = 0;
  for (let found = end.exec(text); found; found = end.exec(text)) {
    yield text.slice(from, found.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/** Applies the rules of a state to a line. @returns the next state; null for the same one */
function stateAfter(
  reading: RunState,
  rules: readonly TextFsmRule[],
  line: string,
  number: number,
): string | null {
  for (const rule of rules) {
    reading.work += rule.expression.steps * (line.length + 1);
    if (reading.work > MOST.work) {
      throw new TextFsmRunError(number, 'the expressions of the template take too long');
    }
    if (isLastRule(reading, rule, line, number)) return rule.next;
  }
  return null;
}

/** Applies a rule to a line. @returns whether no further rule of the state is tried */
function isLastRule(reading: RunState, rule: TextFsmRule, line: string, number: number): boolean {
  const groups = rule.expression.match(line);
  if (!groups) return false;
  for (const name of rule.assigns) assign(reading, name, groups[name] ?? null);
  record(reading, rule.recordAction, number);
  if (rule.lineAction === 'Error') {
    throw new TextFsmRunError(
      number,
      rule.message ?? `rejected by the rule in line ${rule.line} of the template`,
    );
  }
  return rule.lineAction !== 'Continue';
}

function assign({ slots, rows }: RunState, name: string, text: string | null): void {
  const slot = slots.get(name);
  if (!slot) return;
  const { value, column } = slot;
  slot.now = text;
  if (value.options.has('Filldown')) slot.carried = text;
  if (value.options.has('List')) slot.list.push(elementOf(value, text));
  if (!value.options.has('Fillup') || !text) return;
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    if (!row || hasText(row[column])) break;
    row[column] = text;
  }
}

/** Returns the element of a List: the named groups of its expression, else the text. */
function elementOf({ groups }: Value, text: string | null) {
  if (text === null || !groups) return text;
  return groups.match(text) ?? text;
}

const hasText = (cell: Cell | null | undefined): boolean =>
  cell !== null && cell !== undefined && cell.length > 0;

function record(reading: RunState, action: RecordAction, number: number): void {
  if (action === 'Record') storeRecord(reading, number);
  else if (action === 'Clear') clear(reading);
  else if (action === 'Clearall') {
    for (const slot of reading.slots.values()) Object.assign(slot, { now: null, carried: null, list: [] });
  }
}

/** Stores the current record, unless a Required value is missing or all of it is empty. */
function storeRecord(reading: RunState, number: number): void {
  const row: RecordRow = [];
  for (const slot of reading.slots.values()) {
    if (slot.value.options.has('List')) slot.now = [...slot.list];
    if (slot.value.options.has('Required') && !hasText(slot.now)) {
      clear(reading);
      return;
    }
    row.push(slot.now);
  }
  if (row.every((cell) => cell === null || (Array.isArray(cell) && cell.length === 0))) return;
  reading.rows.push(row);
  reading.output += row.reduce((sum, cell) => sum + sizeOf(cell), 0);
  if (reading.output > MOST.output) throw new TextFsmRunError(number, 'the records exceed the size limit');
  clear(reading);
}

/** Returns the size of a cell in characters, with an allowance for its JSON syntax. */
const sizeOf = (cell: Cell | null): number =>
  (Array.isArray(cell) ? JSON.stringify(cell).length : (cell?.length ?? 0)) + 16;

function clear({ slots }: RunState): void {
  for (const slot of slots.values()) {
    const { options } = slot.value;
    slot.now = options.has('Filldown') ? slot.carried : null;
    if (options.has('List') && !options.has('Filldown')) slot.list = [];
  }
}
