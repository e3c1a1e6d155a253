import { type CallKind, counted } from './shared-figures.ts';
import { type Attributes, inSpan, isTracing } from './trace.ts';

type TargetOf<Call> = Call extends (target: infer Target, ...more: never[]) => unknown ? Target : never;

/**
 * Counts the calls of a port of the southbound, and makes each a span while this thread is traced.
 *
 * @param span first word of the name of its spans; the method follows
 * @param methods names of asynchronous methods
 * @param describe returns the attributes of a call from its target, none of which is a secret
 * @param heard called with the result of each call
 */
export function observedPort<Port extends object, Method extends keyof Port & string>(
  { kind, span }: { kind: CallKind; span: string },
  port: Port,
  methods: readonly Method[],
  describe: (target: TargetOf<Port[Method]>) => Attributes,
  heard: (result: unknown) => void = () => undefined,
): Port {
  const observed = { ...port };
  for (const method of methods) {
    const call = port[method] as (...given: unknown[]) => Promise<unknown>;
    const inCount = (given: unknown[]) =>
      counted(kind, async () => {
        const result = await call.apply(port, given);
        heard(result);
        return result;
      });
    const inTrace = (...given: unknown[]) => {
      if (!isTracing()) return inCount(given);
      const attributes = describe(given[0] as TargetOf<Port[Method]>);
      return inSpan(`${span} ${method}`, { kind: 'client', attributes }, () => inCount(given));
    };
    Object.assign(observed, { [method]: inTrace });
  }
  return observed;
}
