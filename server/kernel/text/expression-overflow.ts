/**
 * Returns whether an error says that a regular expression ran out of stack on a long text, which no limit had excluded (decision 0160).
 * A recursion of ours that ends in the same error has our own function at the top of its stack.
 *
 * @param error that was caught
 */
export const isExpressionOverflow = (error: unknown): boolean =>
  error instanceof RangeError && OVERFLOW.test(error.stack?.slice(0, 200) ?? '');

const OVERFLOW =
  /^RangeError: Maximum call stack size exceeded\s+at (?:String|RegExp|RegExpStringIterator)\.\w+ \(/;
