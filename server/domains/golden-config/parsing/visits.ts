import type { ConfigLine } from './config-line.ts';

/** One step of a tree walk: a line when it is entered, and again when all its descendants have been visited (`leaving`). */
export type Visit = { line: ConfigLine; depth: number; leaving: boolean };

/** Yields every line in source order, without recursion: trees may be as deep as texts are long. */
export function* visits(lines: readonly ConfigLine[]): Generator<Visit, void, undefined> {
  const stack: { lines: readonly ConfigLine[]; at: number }[] = [{ lines, at: 0 }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const line = top.lines[top.at];
    if (line) {
      top.at++;
      yield { line, depth: stack.length - 1, leaving: false };
      stack.push({ lines: line.children, at: 0 });
      continue;
    }
    stack.pop();
    const above = stack.at(-1);
    const left = above?.lines[above.at - 1];
    if (left) yield { line: left, depth: stack.length - 1, leaving: true };
  }
}
