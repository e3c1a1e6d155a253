import type { RecordAction, TextFsm, TextFsmRule, Value } from './template.ts';

/** What one record holds for one Value: a text, or for a List its elements. */
export type Cell = string | (string | Record<string, string | null> | null)[];

/** One record, by the names of the Values in their order. */
export type TextFsmRecord = Record<string, Cell>;

/** A text that a template does not read: it said Error, or the work went beyond all bounds. */
export class TextRefused extends Error {
  /** Line of the text, from 1. */
  readonly line: number;
  constructor(line: number, message: string) {
    super(`line ${line} of the text: ${message}`);
    this.name = 'TextRefused';
    this.line = line;
  }
}

/** The bounds of one reading: beyond them it is refused. */
const MOST = {
  /** Steps that its expressions could take in the worst case, which most are far from. */
  work: 5e10,
  /** Characters of one line that expressions see. */
  lineLength: 20_000,
  /** Characters of all records. */
  output: 32 * 1024 * 1024,
};

/** A Value while a text is read. */
type Slot = {
  value: Value;
  column: number;
  now: Cell | null;
  /** What a Filldown carries on. */
  carried: string | null;
  list: Exclude<Cell, string>;
};

type RecordRow = (Cell | null)[];
type RunState = { slots: Map<string, Slot>; rows: RecordRow[]; output: number };

/**
 * Read a text by a template, line by line: the first rule of the state that matches says what happens, unless it
 * Continues. At the end of the text the record under way is kept, unless the template has a state EOF
 * (contract/lifecycle#5.4).
 *
 * @returns the records
 * @throws TextRefused
 */
export function readText({ values, states }: TextFsm, text: string): TextFsmRecord[] {
  const slots = values.map((value, column): [string, Slot] => [
    value.name,
    { value, column, now: null, carried: null, list: [] },
  ]);
  const reading: RunState = { slots: new Map(slots), rows: [], output: 0 };
  let state = 'Start';
  let work = 0;
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    if (line.length > MOST.lineLength)
      throw new TextRefused(number, `longer than ${MOST.lineLength} characters`);
    for (const rule of states.get(state) ?? []) {
      work += rule.steps * (line.length + 1);
      if (work > MOST.work) throw new TextRefused(number, 'the expressions of the template take too long');
      const target = applyRule(reading, rule, line, number);
      if (target === null) continue;
      state = target === '' ? state : target;
      break;
    }
    if (state === 'End' || state === 'EOF') break;
  }
  if (state !== 'End' && !states.has('EOF')) keep(reading, number);
  return reading.rows.map((row) =>
    Object.fromEntries(values.map(({ name }, column) => [name, row[column] ?? ''])),
  );
}

/** Lines as terminals and devices end them; an end at the very end begins no further line. */
function* linesOf(text: string): Generator<string> {
  const end = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
  let from = 0;
  for (let found = end.exec(text); found; found = end.exec(text)) {
    yield text.slice(from, found.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/** @returns null when the line goes on to the next rule, else the state to go on in, '' for the same */
function applyRule(reading: RunState, rule: TextFsmRule, line: string, number: number): string | null {
  // The test alone is much faster than groups, and most rules do not match most lines.
  if (!rule.expression.test(line)) return null;
  const matcher = rule.expression.matcher(line);
  if (!matcher.lookingAt()) return null;
  for (const name of rule.assigns) assign(reading, name, matcher.group(name));
  record(reading, rule.recordAction, number);
  if (rule.lineAction === 'Error') {
    throw new TextRefused(number, rule.message ?? `refused by the rule in line ${rule.line} of the template`);
  }
  return rule.lineAction === 'Continue' ? null : (rule.next ?? '');
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

/** What a List keeps: the groups that its expression names, else the text. */
function elementOf({ groups }: Value, text: string | null) {
  if (text === null || !groups) return text;
  const matcher = groups.matcher(text);
  return matcher.lookingAt() ? { ...matcher.getNamedGroups() } : text;
}

const hasText = (cell: Cell | null | undefined): boolean =>
  cell !== null && cell !== undefined && cell.length > 0;

function record(reading: RunState, action: RecordAction, number: number): void {
  if (action === 'Record') keep(reading, number);
  else if (action === 'Clear') clear(reading);
  else if (action === 'Clearall') {
    for (const slot of reading.slots.values()) Object.assign(slot, { now: null, carried: null, list: [] });
  }
}

/** Keep the record under way, unless a Required value is missing or all of it is empty. */
function keep(reading: RunState, number: number): void {
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
  if (reading.output > MOST.output) throw new TextRefused(number, 'the records grow too large');
  clear(reading);
}

/** Characters of a cell, and some for what stands around it. */
const sizeOf = (cell: Cell | null): number =>
  (Array.isArray(cell) ? JSON.stringify(cell).length : (cell?.length ?? 0)) + 16;

function clear({ slots }: RunState): void {
  for (const slot of slots.values()) {
    const { options } = slot.value;
    slot.now = options.has('Filldown') ? slot.carried : null;
    if (options.has('List') && !options.has('Filldown')) slot.list = [];
  }
}
