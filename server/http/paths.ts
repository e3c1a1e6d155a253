import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
/** Finds the value and the parameters of a method and path. */
export type Paths<Value> = {
  /** @param path as it was sent, still percent-encoded, without its query */
  find: (method: string, path: string) => { value: Value; parameters: Record<string, string> } | undefined;
  /** The methods that a path supports, in the order of the entries. */
  methodsAt: (path: string) => string[];
};

/** @property fallback serves only paths that no other entry matches, under any method */
type Entry<Value> = { method: string; pattern: string; value: Value; fallback?: boolean };
type Route<Value> = Entry<Value> & { expression: RegExp };

/**
 * Compiles paths with `:name` and greedy `:name{.+}` parameters: fixed paths are one look-up, the others are tried within
 * their first segment. The first entry wins; a fixed path wins over parameters under every method, because `clone` is not
 * an id (contract/lifecycle#0.2.2). No router of Hono accepts all our patterns at this cost (docs/decisions/0013).
 */
export function compilePaths<Value>(entries: readonly Entry<Value>[]): Paths<Value> {
  const fixed = new Map<string, Route<Value>[]>();
  const areas = new Map<string, Route<Value>[]>();
  const fallbacks: Route<Value>[] = [];
  for (const entry of entries) {
    const { pattern } = entry;
    if (entry.fallback) {
      fallbacks.push({ ...entry, expression: expressionOf(pattern) });
      continue;
    }
    const [routes, key] = pattern.includes(':') ? [areas, areaOf(pattern)] : [fixed, pattern];
    routes.set(key, [...(routes.get(key) ?? []), { ...entry, expression: expressionOf(pattern) }]);
  }
  const served = (path: string) => fixed.get(path) ?? areas.get(areaOf(path)) ?? [];
  const isServed = (path: string) => served(path).some(({ expression }) => expression.test(path));

  return {
    find(method, given) {
      const path = trimmed(given);
      const found = firstMatch(served(path), method, path);
      return found ?? (isServed(path) ? undefined : firstMatch(fallbacks, method, path));
    },
    methodsAt(given) {
      const path = trimmed(given);
      const matching = served(path).filter(({ expression }) => expression.test(path));
      return [...new Set(matching.map(({ method }) => method))];
    },
  };
}

function firstMatch<Value>(routes: readonly Route<Value>[], method: string, path: string) {
  for (const route of routes) {
    const found = route.method === method && route.expression.exec(path);
    if (found) return { value: route.value, parameters: decoded(found.groups) };
  }
  return undefined;
}

/** Removes trailing slashes, which are ignored (contract/lifecycle#0.2.1). */
const trimmed = (path: string) => (path.length > 1 ? withoutFinal(path, '/') : path);

/** Returns the first segment: only fallbacks have a parameter there. */
const areaOf = (path: string) => path.split('/', 2)[1] ?? '';

const expressionOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replaceAll(/:(\w+)\{\\\.\\\+\}/g, '(?<$1>.+)')
      .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
  );

/** Percent-decodes parameters once; an invalid encoding stays unchanged (contract/decisions#path-parameters). */
function decoded(groups: Record<string, string> = {}): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, text] of Object.entries(groups)) parameters[name] = percentDecoded(text, text);
  return parameters;
}
