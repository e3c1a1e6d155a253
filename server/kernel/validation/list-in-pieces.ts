import { z } from 'zod';
import { type Issue, invalidRequest, MOST_ISSUES } from '../errors.ts';
import { issuesOf } from './zod-issues.ts';

/**
 * A list of the input that is too long for memory: its elements are parsed and validated while they are read, and it can
 * be read again. A reader may act on a piece before a later one is found invalid; it must therefore undo all of it, as a
 * transaction does, when reading throws.
 */
export class ListInPieces<Element = unknown> {
  readonly #name: string;
  readonly #read: () => AsyncIterable<unknown[]>;
  readonly #checks: ((element: unknown, path: (string | number)[]) => Issue[])[] = [];
  readonly #close: () => Promise<void>;

  /**
   * @param name of the field, in the paths of issues
   * @param read begins to read the list: pieces of parsed elements
   * @param close closes the file or connection from which the list is read
   */
  constructor(name: string, read: () => AsyncIterable<unknown[]>, close: () => Promise<void>) {
    this.#name = name;
    this.#read = read;
    this.#close = close;
  }

  /** Adds a check that each element must pass. */
  check(find: (element: unknown, path: (string | number)[]) => Issue[]): void {
    this.#checks.push(find);
  }

  close(): Promise<void> {
    return this.#close();
  }

  /**
   * Reads the list: valid elements, and none any more once one was invalid.
   *
   * @throws ServiceError BAD_REQUEST at the end, with the issues of all elements, at most 100
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Element[]> {
    const issues: Issue[] = [];
    let at = 0;
    for await (const piece of this.#read()) {
      const elements: unknown[] = [];
      for (const element of piece) elements.push(this.#validated(element, at++, issues));
      if (issues.length > MOST_ISSUES) break;
      // The schema has checked each of them.
      if (issues.length === 0) yield elements as Element[];
    }
    if (issues.length > 0) throw invalidRequest(issues);
  }

  #validated(element: unknown, at: number, issues: Issue[]): unknown {
    const path = [this.#name, at];
    for (const check of this.#checks) issues.push(...check(element, path));
    const parsed = this.#schema.safeParse(element);
    if (parsed.success) return parsed.data;
    for (const issue of issuesOf(parsed.error)) issues.push({ ...issue, path: [...path, ...issue.path] });
    return element;
  }

  #schema: z.ZodType = z.unknown();

  /** Sets the schema of the elements. */
  accept(schema: z.ZodType): void {
    this.#schema = schema;
  }
}

/**
 * Lets the schema of a list accept a list in pieces as well, whose elements are then validated while they are read.
 *
 * @param list is changed in place: describe it before
 * @returns the same schema, with the type of both inputs
 */
export function orInPieces<Element extends z.ZodType>(list: z.ZodArray<Element>) {
  const { _zod: inner } = list;
  const { parse } = inner;
  const both: typeof parse = (payload, context) => {
    if (!(payload.value instanceof ListInPieces)) return parse(payload, context);
    payload.value.accept(list.element as z.ZodType);
    // Zod's type of the value is that of an array.
    return payload as ReturnType<typeof parse>;
  };
  if (inner.run === parse) inner.run = both as typeof inner.run;
  inner.parse = both;
  return list as unknown as z.ZodType<
    z.output<Element>[] | ListInPieces<z.output<Element>>,
    z.input<Element>[]
  >;
}
