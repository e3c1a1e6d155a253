import type { z } from 'zod';

/**
 * JSON that is already text, as the database gave it: the REST face sends it as it is, the tRPC face parses it.
 * `Value` is what the text says, for typed callers.
 */
export class RawJson<Value> {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  parse(): Value {
    return JSON.parse(this.text) as Value;
  }
}

/** An answer that is not JSON on the REST face (a token, a version, metrics); a typed caller gets the string. */
export class PlainText {
  readonly text: string;
  readonly type: string;
  constructor(text: string, type = 'text/plain; charset=utf-8') {
    this.text = text;
    this.type = type;
  }
}

/**
 * An answer made from JSON text, typed as what it says: both faces know how to unwrap it, so routers and typed
 * callers need not.
 */
export const json = <Value>(text: string): Value => new RawJson<Value>(text) as Value;

/** An answer of plain text, typed as the string that it is to a typed caller. */
export const plainText = (text: string, type?: string): string =>
  new PlainText(text, type) as unknown as string;

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
 * An answer of lines of JSON, typed as the text that they are together: a typed caller waits for the last one.
 *
 * @param face who asks
 */
export async function lines(face: 'rest' | 'trpc', source: AsyncIterable<unknown>): Promise<string> {
  if (face === 'rest') return new Lines(source) as unknown as string;
  let text = '';
  for await (const one of source) text += `${JSON.stringify(one)}\n`;
  return text;
}

/** Tests set this: every answer is then held against its schema, and a wrong one is a fault. */
export const CHECKED = process.env.CHECK_ANSWERS === '1';
/** Whether a test that measures time has set it aside. */
const isChecked = () => CHECKED && process.env.CHECK_ANSWERS !== '0';

/**
 * The schema of an answer: it documents and types; documents pass through it untouched, unknown members included.
 * It costs nothing in service, where no answer is validated twice (decision 0001); under CHECK_ANSWERS=1 it refuses.
 */
export function answer<Schema extends z.ZodType>(schema: Schema): Schema {
  const parse = async (value: unknown) => {
    if (isChecked() && !(value instanceof Lines)) schema.parse(plain(value));
    return value;
  };
  const made: Schema = Object.create(schema, { parse: { value: parse }, parseAsync: { value: parse } });
  declared.set(made, schema);
  return made;
}

/** Schemas behind those that `answer` made. */
const declared = new WeakMap<object, z.ZodType>();

/**
 * The schema that a procedure's answer was declared with, under its own name, for the OpenAPI document.
 *
 * @param output  a procedure's output parser
 */
export const declaredAnswer = (output: unknown): z.ZodType | undefined =>
  typeof output === 'object' && output !== null ? declared.get(output) : undefined;

/** What a typed caller sees of an answer, whichever way it was made. */
export function plain(value: unknown): unknown {
  if (value instanceof RawJson) return value.parse();
  return value instanceof PlainText ? value.text : value;
}
