/** Which value stands at a method and path, and with which parameters. */
export type Paths<Value> = {
  /** @param path as it was sent, still percent-encoded, without its query */
  find: (method: string, path: string) => { value: Value; parameters: Record<string, string> } | undefined;
  /** The methods under which a path is known, in the order in which they were given. */
  methodsAt: (path: string) => string[];
};

type Entry<Value> = { method: string; pattern: string; value: Value };
type Route<Value> = { method: string; expression: RegExp; names: string[]; value: Value };

/**
 * Compile paths with `:name` and greedy `:name{.+}` parameters: fixed paths are one look-up, the others are tried
 * within their first segment, in the order given. A framework's router that takes all our patterns walks a tree and
 * allocates on every request, which cost more than everything else between socket and procedure (bench/http).
 */
export function compilePaths<Value>(entries: readonly Entry<Value>[]): Paths<Value> {
  const fixed = new Map<string, Map<string, Value>>();
  const areas = new Map<string, Route<Value>[]>();
  for (const { method, pattern, value } of entries) {
    if (!pattern.includes(':')) {
      const methods = fixed.get(pattern) ?? new Map<string, Value>();
      // An alias does not take the path of an endpoint that is called so.
      if (!methods.has(method)) methods.set(method, value);
      fixed.set(pattern, methods);
      continue;
    }
    const area = areaOf(pattern);
    const routes = areas.get(area) ?? [];
    routes.push({ method, value, ...expressionOf(pattern) });
    areas.set(area, routes);
  }

  return {
    find(method, given) {
      const path = trimmed(given);
      const methods = fixed.get(path);
      if (methods) {
        // It wins over parameters under every method: `clone` is no id (contract/lifecycle#0.2.2).
        const value = methods.get(method);
        return value === undefined ? undefined : { value, parameters: {} };
      }
      for (const route of areas.get(areaOf(path)) ?? []) {
        if (route.method !== method) continue;
        const found = route.expression.exec(path);
        if (found) return { value: route.value, parameters: parametersOf(route.names, found) };
      }
      return undefined;
    },
    methodsAt(given) {
      const path = trimmed(given);
      const methods = fixed.get(path);
      if (methods) return [...methods.keys()];
      const matching = (areas.get(areaOf(path)) ?? []).filter(({ expression }) => expression.test(path));
      return [...new Set(matching.map(({ method }) => method))];
    },
  };
}

/** A trailing slash means nothing (contract/lifecycle#0.2.1). */
const trimmed = (path: string) => (path.length > 1 && path.endsWith('/') ? path.replace(/\/+$/, '') : path);

/** The first segment: no pattern of ours has a parameter there. */
function areaOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
}

function expressionOf(pattern: string): { expression: RegExp; names: string[] } {
  const names: string[] = [];
  const source = pattern
    .split('/')
    .map((segment) => {
      const [, name, greedy] = /^:(\w+)(\{\.\+\})?$/.exec(segment) ?? [];
      if (!name) return segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(name);
      return greedy ? '(.+)' : '([^/]+)';
    })
    .join('/');
  return { expression: new RegExp(`^${source}$`), names };
}

/** Percent-decoded once; what is no valid encoding stays as it came (contract/decisions#path-parameters). */
function parametersOf(names: string[], found: RegExpExecArray): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const text = found[index + 1] ?? '';
    try {
      parameters[name] = text.includes('%') ? decodeURIComponent(text) : text;
    } catch {
      parameters[name] = text;
    }
  }
  return parameters;
}
