import { numberOf, type RenderState, spend, spendText, textOf } from '../run.ts';
import { isDict } from '../values.ts';

/** The methods that templates may call on strings and dicts; nothing else can be called on them. */
type TextMethod = (value: string, args: readonly unknown[], run: RenderState, at: number) => unknown;
type DictMethod = (value: Record<string, unknown>, args: readonly unknown[]) => unknown;

const part = (args: readonly unknown[], run: RenderState, at: number) => textOf(run, args[0] ?? '', at);

const TEXT: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['strip', (text) => text.trim()],
  ['lstrip', (text) => text.trimStart()],
  ['rstrip', (text) => text.trimEnd()],
  ['startswith', (text, args, run, at) => text.startsWith(part(args, run, at))],
  ['endswith', (text, args, run, at) => text.endsWith(part(args, run, at))],
  [
    'split',
    (text, args, run, at) => {
      const pieces = args.length === 0 ? text.split(/\s+/).filter(Boolean) : text.split(part(args, run, at));
      const most = args.length > 1 ? numberOf(run, args[1], at) : -1;
      if (most < 0 || pieces.length <= most + 1) return pieces;
      return [...pieces.slice(0, most), pieces.slice(most).join(part(args, run, at))];
    },
  ],
  [
    'replace',
    (text, args, run, at) => {
      const [old, fresh] = [part(args, run, at), textOf(run, args[1] ?? '', at)];
      const pieces = text.split(old);
      spendText(run, text.length + pieces.length * fresh.length, at);
      return pieces.join(fresh);
    },
  ],
]);

const DICT: ReadonlyMap<string, DictMethod> = new Map<string, DictMethod>([
  ['items', (dict) => Object.entries(dict)],
  ['keys', (dict) => Object.keys(dict)],
  ['values', (dict) => Object.values(dict)],
  [
    'get',
    (dict, [name, absent]) => (Object.hasOwn(dict, String(name)) ? dict[String(name)] : (absent ?? null)),
  ],
]);

/** Returns the method with that name, ready to be called; undefined when the value has none. */
export function methodOf(
  value: unknown,
  name: string,
): ((args: readonly unknown[], run: RenderState, at: number) => unknown) | undefined {
  if (typeof value === 'string') {
    const method = TEXT.get(name);
    return (
      method &&
      ((args, run, at) => {
        spendText(run, value.length, at);
        return method(value, args, run, at);
      })
    );
  }
  const method = isDict(value) ? DICT.get(name) : undefined;
  if (!method || !isDict(value)) return undefined;
  return (args, run, at) => {
    spend(run, Object.keys(value).length, at);
    return method(value, args);
  };
}
