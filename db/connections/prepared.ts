/** Prefix of a statement that is planned again each time it is sent. */
export const UNPREPARED = '/* unprepared */ ';

/** Maximum number of prepared statements per connection: the server keeps a plan for each. */
const MOST_PREPARED = 500;
/** A text longer than this lists its values, and is unlikely to be repeated. */
const LONGEST_PREPARED = 8000;

/**
 * Returns a function that checks whether a text was seen before. Repeated texts are worth preparing: for any other the
 * driver first requests the parameter types, which costs a round trip, and the server parses and plans it again. Texts
 * that callers vary without limit are not kept.
 */
export function repetitions(): (text: string) => boolean {
  const once = new Set<string>();
  const again = new Set<string>();
  return (text) => {
    if (again.has(text)) return true;
    if (text.length > LONGEST_PREPARED || again.size >= MOST_PREPARED) return false;
    if (once.delete(text)) {
      again.add(text);
      return true;
    }
    if (once.size >= MOST_PREPARED) once.clear();
    once.add(text);
    return false;
  };
}
