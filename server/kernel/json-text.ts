import type { z } from 'zod';

/**
 * JSON text that says a `Value`, as the database gave it: the REST face sends it unchanged, the tRPC face parses it. It
 * is not that value: whoever needs the value here parses the text.
 */
export class JsonText<Value> {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  parse(): Value {
    return JSON.parse(this.text) as Value;
  }
  /** Called by JSON.stringify, with which tRPC writes the events of a stream. */
  toJSON(): Value {
    return this.parse();
  }
}

/** Returns JSON text as an answer. */
export const json = <Value>(text: string): JsonText<Value> => new JsonText(text);

/** An answer that is not JSON on the REST face (a token, a version, metrics); a typed caller gets the string. */
export class PlainText {
  readonly text: string;
  readonly type: string;
  constructor(text: string, type = 'text/plain; charset=utf-8') {
    this.text = text;
    this.type = type;
  }
}

/** Media types of an answer of lines: that of lines of JSON, and that of clients which know no such type. */
export const LINE_TYPES = ['application/x-ndjson', 'text/plain'] as const;

/** An answer that comes line by line as it is made: the REST face sends each line at once. */
export class Lines {
  readonly source: AsyncIterable<unknown>;
  constructor(source: AsyncIterable<unknown>) {
    this.source = source;
  }
}

/**
 * Returns an answer of lines of JSON; a typed caller waits for the last one and gets them as one text.
 *
 * @param face where the request came from
 */
export async function lines(face: 'rest' | 'trpc', source: AsyncIterable<unknown>): Promise<Lines | string> {
  if (face === 'rest') return new Lines(source);
  let text = '';
  for await (const one of source) text += `${JSON.stringify(one)}\n`;
  return text;
}

/** What a procedure may return where its typed callers get a `Value`: text that says one will do. */
export type Answer<Value> = Value | JsonText<Value> | (string extends Value ? PlainText | Lines : never);

/** Tests set this: every answer is then held against its schema, and a wrong one is a fault. */
export const CHECKED = process.env.CHECK_ANSWERS === '1';
/** Whether a test that measures time has set it aside. */
const isChecked = () => CHECKED && process.env.CHECK_ANSWERS !== '0';

/**
 * The schema of an answer: it documents and types; documents pass through it untouched, unknown members included.
 * It costs nothing in service, where no answer is validated twice (decision 0001); under CHECK_ANSWERS=1 it refuses.
 */
export function answer<Schema extends z.ZodType>(schema: Schema): AnswerSchema<Schema> {
  const parse = async (value: unknown) => {
    if (isChecked() && !(value instanceof Lines)) schema.parse(plain(value));
    return value;
  };
  const made: AnswerSchema<Schema> = Object.create(schema, {
    parse: { value: parse },
    parseAsync: { value: parse },
  });
  declared.set(made, schema);
  return made;
}

/** An output parser for tRPC, by its own form: what a procedure may return, and what its typed callers get. */
type AnswerSchema<Schema extends z.ZodType> = {
  _input: Answer<z.input<Schema>>;
  _output: z.output<Schema>;
};

/** Schemas behind those that `answer` made. */
const declared = new WeakMap<object, z.ZodType>();

/**
 * The schema that a procedure's answer was declared with, under its own name, for the OpenAPI document.
 *
 * @param output  a procedure's output parser
 */
export const declaredAnswer = (output: unknown): z.ZodType | undefined =>
  typeof output === 'object' && output !== null ? declared.get(output) : undefined;

/** Returns what a typed caller sees of an answer, whichever way it was made. */
export function plain(value: unknown): unknown {
  if (value instanceof JsonText) return value.parse();
  return value instanceof PlainText ? value.text : value;
}
