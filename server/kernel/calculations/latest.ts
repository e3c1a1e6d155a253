/**
 * Caches values derived from texts, least recently used first out, while the texts have at most `most` characters in total.
 *
 * @returns a function that returns the value of a text, or makes it
 */
export function latest<Made>(most: number): (text: string, make: () => Made) => Made {
  const kept = new Map<string, Made>();
  let characters = 0;
  return (text, make) => {
    const known = kept.get(text);
    const made = known ?? make();
    if (known === undefined) characters += text.length;
    kept.delete(text);
    kept.set(text, made);
    for (const oldest of kept.keys()) {
      if (characters <= most) break;
      kept.delete(oldest);
      characters -= oldest.length;
    }
    return made;
  };
}

/**
 * Puts an entry into a map of at most `most` entries; beyond that the oldest is dropped.
 *
 * @param kept map in the order of use, changed in place
 * @returns the value
 */
export function keepLatest<Key, Value>(kept: Map<Key, Value>, most: number, key: Key, value: Value): Value {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return value;
}
