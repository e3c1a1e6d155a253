/** Shortest text that an index of trigrams narrows by. */
const SHORTEST = 3;
/** Texts that a search is narrowed by at most: each further one costs an index scan and excludes little. */
const MOST = 5;

/** Marks a place where what follows may differ from text to text. */
const BREAK = null;
type Part = string | typeof BREAK;

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,\d*)?\})\??/;

/**
 * Returns texts that every line contains that an expression (RE2) matches. It errs on the safe side: an expression of a form
 * that it does not know has none.
 *
 * @param ignoreCase whether the expression ignores case
 * @returns at most five texts of three or more ASCII characters, the longest first
 */
export function requiredLiterals(expression: string, ignoreCase: boolean): string[] {
  const isFolded = ignoreCase || expression.startsWith('(?i)');
  const source = expression.startsWith('(?i)') ? expression.slice(4) : expression;
  const parts = partsOf(source) ?? [];
  const found: string[] = [];
  let run = '';
  for (const part of [...parts, BREAK]) {
    if (part !== BREAK && isUsable(part, isFolded)) run += part;
    else {
      if (run.length >= SHORTEST) found.push(run);
      run = '';
    }
  }
  return [...new Set(found)].sort((a, b) => b.length - a.length).slice(0, MOST);
}

/** In RE2, `k` and `s` without case also match the Kelvin sign and the long s, which the database does not fold. */
const isUsable = (character: string, isFolded: boolean): boolean =>
  /^[ -~]$/.test(character) && !(isFolded && /^[ks]$/i.test(character));

/** Returns the characters that an expression requires, in order; undefined for one with alternatives or flags. */
function partsOf(source: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < source.length; ) {
    const atom = atomAt(source, at);
    if (!atom) return undefined;
    at += atom.length;
    const quantifier = QUANTIFIER.exec(source.slice(at));
    if (!quantifier) {
      parts.push(atom.character);
      continue;
    }
    at += quantifier[0].length;
    const isOnce = quantifier[0].startsWith('+') || Number(quantifier[1] ?? 0) > 0;
    // A repeated character occurs at least once; the character after it may be another occurrence.
    if (isOnce) parts.push(atom.character);
    parts.push(BREAK);
  }
  return parts;
}

type Atom = { length: number; character: Part };

/** Returns the next atom; undefined when the whole expression must not be used. */
function atomAt(source: string, at: number): Atom | undefined {
  const character = source[at] ?? '';
  switch (character) {
    case '|':
      return undefined;
    case '(':
      return groupAt(source, at);
    case '[':
      return classAt(source, at);
    case '.':
    case '^':
    case '$':
      return { length: 1, character: BREAK };
    case '\\': {
      const escaped = source[at + 1] ?? '';
      // Letters and digits after a backslash are classes, boundaries or quotations.
      if (/[A-Za-z0-9]/.test(escaped))
        return 'dDwWsSbBAz'.includes(escaped) ? { length: 2, character: BREAK } : undefined;
      return escaped === '' ? undefined : { length: 2, character: escaped };
    }
    default: {
      const whole = String.fromCodePoint(source.codePointAt(at) ?? 0);
      return { length: whole.length, character: whole };
    }
  }
}

/** Skips a group: what it requires is not looked at. Flags that apply to the rest of the expression are not known. */
function groupAt(source: string, at: number): Atom | undefined {
  if (/^\(\?[a-zA-Z-]*\)/.test(source.slice(at))) return undefined;
  let depth = 0;
  for (let end = at; end < source.length; end += 1) {
    const character = source[end];
    if (character === '\\') {
      if (source[end + 1] === 'Q') return undefined;
      end += 1;
    } else if (character === '[') {
      const skipped = classAt(source, end);
      if (!skipped) return undefined;
      end += skipped.length - 1;
    } else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return { length: end - at + 1, character: BREAK };
    }
  }
  return undefined;
}

/** Skips a character class. @returns undefined when it has no end */
function classAt(source: string, at: number): Atom | undefined {
  // A `]` directly after the opening is a member of the class.
  const first = source[at + 1] === '^' ? at + 2 : at + 1;
  for (let end = first; end < source.length; end += 1) {
    const character = source[end];
    if (character === '\\') end += 1;
    else if (character === '[' && source[end + 1] === ':') {
      const closing = source.indexOf(':]', end);
      if (closing < 0) return undefined;
      end = closing + 1;
    } else if (character === ']' && end > first) return { length: end - at + 1, character: BREAK };
  }
  return undefined;
}
