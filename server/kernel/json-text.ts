import type { z } from 'zod';
import { decode } from '#db/list/list-page.ts';

/**
 * JSON text of a `Value`, as the database returned it, as a string or as bytes in UTF-8: the REST face sends it unchanged,
 * the tRPC face parses it. Code that needs the value itself parses the text.
 */
export class JsonText<Value> {
  /** The text as it is sent. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  constructor(body: string | Uint8Array<ArrayBuffer>) {
    this.body = body;
  }
  get text(): string {
    return stringOf(this.body);
  }
  parse(): Value {
    return JSON.parse(this.text) as Value;
  }
  /** Called by JSON.stringify, with which tRPC writes the events of a stream. */
  toJSON(): Value {
    return this.parse();
  }
}

/** Length up to which an answer is sent as a string: Node writes it together with the headers, and bytes separately. */
const SHORT = 16 * 1024;

/**
 * Returns JSON text as a result; its parts are joined as they are.
 *
 * @param parts strings, or bytes in UTF-8; bytes stay bytes in a long text
 */
export function json<Value>(...parts: (string | Uint8Array)[]): JsonText<Value> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length <= SHORT || parts.every((part) => typeof part === 'string')) {
    return new JsonText(parts.map(stringOf).join(''));
  }
  return new JsonText(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  );
}

const stringOf = (part: string | Uint8Array): string => (typeof part === 'string' ? part : decode(part));

/** A result that is not JSON on the REST face (a token, a version, metrics); a typed caller gets the string. */
export class PlainText {
  readonly text: string;
  readonly type: string;
  constructor(text: string, type = 'text/plain; charset=utf-8') {
    this.text = text;
    this.type = type;
  }

  /** The body of a response. */
  get body(): string | Uint8Array<ArrayBuffer> {
    return this.text;
  }
}

/** A file that is not text: the REST face sends its bytes, a typed caller gets them in base64. */
export class Base64File extends PlainText {
  override get body(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Buffer.from(this.text, 'base64'));
  }
}

/** Media types of a line-by-line response: JSON lines, and plain text for clients that do not know that type. */
export const LINE_TYPES = ['application/x-ndjson', 'text/plain'] as const;

/** A result that is produced line by line: the REST face sends each line at once. */
export class Lines {
  readonly source: AsyncIterable<unknown>;
  constructor(source: AsyncIterable<unknown>) {
    this.source = source;
  }

  /** Returns what is sent for an element of the source. */
  textOf(one: unknown): string {
    return `${JSON.stringify(one)}\n`;
  }
}

/** A text that is produced in parts, each of whole lines. */
export class TextParts extends Lines {
  declare readonly source: AsyncIterable<string>;
  readonly type: string;
  constructor(source: AsyncIterable<string>, type: string) {
    super(source);
    this.type = type;
  }

  override textOf(part: unknown): string {
    return String(part);
  }
}

/**
 * Returns a result of JSON lines; a typed caller waits for the last one and gets them as one text.
 *
 * @param face the face of the request
 * @param source values, one for each line
 */
export async function lines(face: 'rest' | 'trpc', source: AsyncIterable<unknown>): Promise<Lines | string> {
  if (face === 'rest') return new Lines(source);
  let text = '';
  for await (const one of source) text += `${JSON.stringify(one)}\n`;
  return text;
}

/**
 * Returns a text that is produced in parts; a typed caller waits for the last one and gets one text.
 *
 * @param face the face of the request
 * @param source parts of the text, in order
 * @param type media type
 */
export async function textParts(
  face: 'rest' | 'trpc',
  source: AsyncIterable<string>,
  type: string,
): Promise<TextParts | PlainText> {
  if (face === 'rest') return new TextParts(source, type);
  const parts: string[] = [];
  for await (const part of source) parts.push(part);
  return new PlainText(parts.join(''), type);
}

/** Return type of a procedure whose typed callers get a `Value`: the value, or its JSON text. */
export type Answer<Value> = Value | JsonText<Value> | (string extends Value ? PlainText | Lines : never);

/** Set by tests: every result is then checked against its schema, and a mismatch is an internal error. */
export const CHECKED = process.env.CHECK_ANSWERS === '1';
/** Returns whether results are checked; a test that measures time may turn that off. */
const isChecked = () => CHECKED && process.env.CHECK_ANSWERS !== '0';

/**
 * Returns the schema of a result, for documentation and types. Documents pass through it unchanged, with unknown fields. It
 * costs nothing in production, where no result is validated (decision 0001); with CHECK_ANSWERS=1 it rejects.
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

/** An output parser in tRPC's form: what a procedure may return, and what its typed callers get. */
type AnswerSchema<Schema extends z.ZodType> = {
  _input: Answer<z.input<Schema>>;
  _output: z.output<Schema>;
};

/** The schemas from which `answer` made output parsers. */
const declared = new WeakMap<object, z.ZodType>();

/**
 * Returns the schema that a procedure's result was declared with, for the OpenAPI document.
 *
 * @param output  a procedure's output parser
 */
export const declaredAnswer = (output: unknown): z.ZodType | undefined =>
  typeof output === 'object' && output !== null ? declared.get(output) : undefined;

/** Returns a result as a typed caller sees it. @param value result of a procedure */
export function plain(value: unknown): unknown {
  if (value instanceof JsonText) return value.parse();
  return value instanceof PlainText ? value.text : value;
}
