import { spendReading, spendText } from '../run.ts';
import { isDict, isList } from '../values.ts';
import type { Call } from './call.ts';
import { DICT_METHODS, LIST_METHODS } from './methods-collections.ts';
import { TEXT_METHODS } from './methods-text.ts';

/** Returns the method with that name, ready to be called; undefined when the value has none. */
export function methodOf(value: unknown, name: string): ((call: Call) => unknown) | undefined {
  const method = named(value, name);
  return (
    method &&
    ((call) => {
      if (typeof value === 'string') spendText(call.run, value.length, call.at);
      spendReading(call.run, [...call.listed, ...call.named.values()], call.at);
      return method(call);
    })
  );
}

function named(value: unknown, name: string): ((call: Call) => unknown) | undefined {
  if (typeof value === 'string') {
    const method = TEXT_METHODS.get(name);
    return method && ((call) => method(value, call));
  }
  if (isList(value)) {
    const method = LIST_METHODS.get(name);
    return method && ((call) => method(value, call));
  }
  const method = isDict(value) ? DICT_METHODS.get(name) : undefined;
  return method && isDict(value) ? (call) => method(value, call) : undefined;
}
